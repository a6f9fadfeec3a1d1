import type { ServerResponse } from "node:http";

const weight = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * How gladly a client takes bodies in an encoding, by its `Accept-Encoding` (RFC 9110, 12.5.3):
 * from 0, never, to 1. Without that header it takes none.
 */
export function encodingWeight(accepted: string | undefined, encoding: "br" | "gzip"): number {
  let ofOthers = 0;
  for (const entry of (accepted ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const given = parameters.map((parameter) => weight.exec(parameter)?.[1]);
    const found = Number(given.find((one) => one !== undefined) ?? 1);
    if (name === encoding || name === `x-${encoding}`) return found;
    if (name === "*") ofOthers = found;
  }
  return ofOthers;
}

/** Adds a header of requests to `Vary`: caches on the way keep an answer for each of its values. */
export function varyBy(
  response: Pick<ServerResponse, "getHeader" | "setHeader">,
  header: string,
): void {
  const before = response.getHeader("vary");
  response.setHeader("vary", before === undefined ? header : `${String(before)}, ${header}`);
}
