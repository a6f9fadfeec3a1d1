import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "./addresses.ts";

/** Reads `HTTP_NAMES`: names and addresses with commas between them. */
export const readNames = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ""),
  );

/**
 * What is wrong with a request to a server that only this host can reach; null: nothing. A web page whose name was
 * made to lead here, by DNS rebinding, shows that name as `Host` or as `Origin`.
 */
export function misdirection(
  { host = "", origin }: Pick<IncomingHttpHeaders, "host" | "origin">,
  names: ReadonlySet<string>,
): string | null {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  const called = "Call it as 127.0.0.1 or localhost, or name its other names in HTTP_NAMES.";
  if (!isLoopback(name) && !names.has(name)) {
    return `This server is for this host only, and not for ${host.slice(0, 200)}. ${called}`;
  }
  if (origin === undefined || /^https?:\/\/(.*)$/.exec(origin)?.[1] === host) return null;
  return `This server is not for pages of ${origin.slice(0, 200)}. Ask from a page that it serves, or without Origin.`;
}
