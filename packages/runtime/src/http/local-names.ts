import type { IncomingMessage } from "node:http";
import { isLoopback, noProxies, type Proxies, plainAddress } from "./addresses.ts";
import { noOrigins, type Origins } from "./cors.ts";

/** Reads `HTTP_NAMES`: names and addresses with commas between them. */
export const readNames = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ""),
  );

interface Known {
  /** Names besides those of loopback. */
  readonly names?: ReadonlySet<string>;
  /** Pages of other origins that may ask. */
  readonly origins?: Origins;
  /** Proxies that are believed to say under which name they were called. */
  readonly proxies?: Proxies;
}

/**
 * What is wrong with a request to a server that only this host can reach; null: nothing. A web page
 * whose name was made to lead here, by DNS rebinding, shows that name as `Host` or as `Origin`. A
 * trusted proxy says as `X-Forwarded-Host` under which name the page knows it, and `Host` is then
 * that of the proxy's own request.
 */
export function misdirection(
  { headers, socket }: Pick<IncomingMessage, "headers"> & { readonly socket: Peer },
  { names = new Set(), origins = noOrigins, proxies = noProxies }: Known,
): string | null {
  const { host = "", origin } = headers;
  const name = host.replace(/:\d+$/, "").toLowerCase();
  const called = "Call it as 127.0.0.1 or localhost, or name its other names in HTTP_NAMES.";
  if (!isLoopback(name) && !names.has(name)) {
    return `This server is for this host only, and not for ${host.slice(0, 200)}. ${called}`;
  }
  if (origin === undefined || origins.allows(origin)) return null;
  const forwarded = proxies.isTrusted(plainAddress(socket.remoteAddress ?? ""))
    ? lastOf(headers["x-forwarded-host"])
    : host;
  const from = /^https?:\/\/(.*)$/.exec(origin)?.[1];
  if (from === host || from === forwarded) return null;
  return `This server is not for pages of ${origin.slice(0, 200)}. Ask from a page that it serves or that CORS_ORIGINS names, or without Origin.`;
}

interface Peer {
  readonly remoteAddress?: string | undefined;
}

/** What the last proxy wrote: a client may have written what stands before that. */
const lastOf = (forwarded: string | readonly string[] | undefined): string | undefined =>
  [forwarded ?? []].flat().join().split(",").at(-1)?.trim();
