import { serverUrls } from "@holdfast/runtime";

/** The user that a broker's URL names. Without one the client connects as guest. */
export const userOf = (url: string): string =>
  decodeURIComponent(new URL(serverUrls(url)[0]).username) || "guest";
