import { type ServerAccess, serverAccess } from "@holdfast/runtime";
import { quiet } from "./fixtures.ts";

/** What a test knows of the broker at this URL: nothing yet. */
export const accessTo = (url: string): ServerAccess =>
  serverAccess({ name: "broker", read: () => url, log: quiet });
