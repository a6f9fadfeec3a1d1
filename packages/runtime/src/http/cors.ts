import type { IncomingMessage, ServerResponse } from "node:http";
import { ContractFault } from "@holdfast/domain";
import { varyBy } from "./encodings.ts";

/** Which pages of other origins may ask, and read what is answered. */
export interface Origins {
  /** Whether there are any. */
  readonly isOn: boolean;
  allows(origin: string): boolean;
}

export const noOrigins: Origins = { isOn: false, allows: () => false };

/** An origin: a scheme, a host, and perhaps a port; `*` stands for any port. */
const grammar = /^(https?:\/\/(?:\[[0-9a-f:.]+\]|[^/:?#@[\]*\s]+))(:(?:\d{1,5}|\*))?$/;

/**
 * Reads `CORS_ORIGINS`: origins with commas between them, or `*`. Throws `config.invalid` for what
 * is none.
 */
export function readOrigins(list: string): Origins {
  const entries = list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");
  if (entries.length === 0) return noOrigins;
  if (entries.includes("*")) return { isOn: true, allows: () => true };
  const exact = new Set<string>();
  const anyPort = new Set<string>();
  for (const entry of entries) {
    const [, host = "", port = ""] = grammar.exec(entry) ?? [];
    if (host === "") throw noOrigin(entry);
    if (port === ":*") anyPort.add(host);
    else exact.add(new URL(host + port).origin);
  }
  return {
    isOn: true,
    allows: (origin) => exact.has(origin) || anyPort.has(origin.replace(/:\d+$/, "")),
  };
}

const noOrigin = (entry: string): ContractFault =>
  new ContractFault(
    "config.invalid",
    `CORS_ORIGINS: ${entry} is no origin: write it as https://shop.example or http://localhost:*, without a path`,
  );

/** What pages may send. */
const sent = [
  "accept",
  "authorization",
  "content-type",
  "correlation-id",
  "fairness-key",
  "fairness-weight",
  "idempotency-key",
  "if-match",
  "last-event-id",
  "not-before",
  "prefer",
  "reply-to",
  "task-key",
  "task-labels",
  "task-priority",
  "traceparent",
  "tracestate",
  "x-request-id",
].join(", ");

/** What pages may read of an answer, besides its body. */
const read = [
  "etag",
  "idempotency-replayed",
  "location",
  "preference-applied",
  "retry-after",
  "www-authenticate",
  "x-request-id",
].join(", ");

/** Seconds for which a browser may keep what it was answered. */
const keptFor = 600;

/**
 * Says in the answer that a page of another origin may read it, if it may. Cookies are never taken:
 * a page shows the token itself, so it has to have it.
 */
export function allowOrigin(
  { headers: { origin } }: Pick<IncomingMessage, "headers">,
  response: Pick<ServerResponse, "getHeader" | "setHeader">,
  origins: Origins,
): void {
  if (!origins.isOn) return;
  varyBy(response, "origin");
  if (origin === undefined || !origins.allows(origin)) return;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", read);
}

/**
 * Answers a browser that asks before it sends what a page wants to send. Returns whether it was
 * such a question.
 */
export function answerPreflight(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  response: ServerResponse,
  origins: Origins,
): boolean {
  const { origin } = headers;
  const isAsked = method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
  if (!isAsked || origin === undefined || !origins.allows(origin)) return false;
  response.writeHead(204, {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers": sent,
    "access-control-max-age": String(keptFor),
    // A page of the internet asks a server of this machine or network.
    ...(headers["access-control-request-private-network"] === undefined
      ? {}
      : { "access-control-allow-private-network": "true" }),
  });
  response.end();
  return true;
}
