import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The header that names a request, in the request itself and in its answer. */
export const requestIdHeader = "x-request-id";

/**
 * Needs no quotes in a log, a URL or a shell, and commands no terminal. UUIDs, ULIDs and ids of
 * traces are such.
 */
const grammar = /^[A-Za-z0-9][A-Za-z0-9._~:/+=@-]{0,127}$/;

/**
 * Names a request as its sender did, where that is a short plain text, and anew otherwise. From
 * then on its header has the name, so that whatever reads it, or passes the request on, has the
 * same.
 */
export function nameRequest({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const sent = headers[requestIdHeader];
  if (typeof sent === "string" && grammar.test(sent)) return sent;
  const made = newRequestId();
  headers[requestIdHeader] = made;
  return made;
}

/** A name for what cannot be read as a request. */
export const newRequestId = (): string => randomUUID();
