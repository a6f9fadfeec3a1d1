import { isUtf8 } from "node:buffer";

/** A character of UTF-8 has four bytes at most: so many may be cut off at the end. */
const longestRest = 3;

/**
 * A body as text, for people to look at; null: it is none. It is never interpreted: whatever stands
 * in it, it is shown as it is. `isCut`: its last character may be incomplete.
 */
export function printableBody(body: Buffer, { isCut }: { readonly isCut: boolean }): string | null {
  for (let rest = 0; rest <= (isCut ? longestRest : 0); rest += 1) {
    const whole = body.subarray(0, body.length - rest);
    if (isUtf8(whole)) return isPrintable(whole) ? whole.toString("utf8") : null;
  }
  return null;
}

const [tab, lineFeed, carriageReturn, space, del] = [9, 10, 13, 32, 127];

const isPrintable = (bytes: Buffer): boolean =>
  bytes.every(
    (byte) =>
      (byte >= space && byte !== del) ||
      byte === tab ||
      byte === lineFeed ||
      byte === carriageReturn,
  );
