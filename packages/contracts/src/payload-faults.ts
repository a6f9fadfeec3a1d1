/** The largest payload, in bytes of JSON. */
const largestPayload = 256 * 1024;
/** How deep a payload may be nested. */
const deepestPayload = 32;

/**
 * What keeps JSON from being stored and read back unchanged; empty: nothing. Each of these passes
 * `JSON.parse` and breaks, or is changed, later on: too deep, too large, a NUL or half a character in
 * a text, a number that is no longer the one that was written.
 */
export function payloadFaults(json: unknown, levels = deepestPayload): readonly string[] {
  if (isDeeperThan(levels, json)) return [`is deeper than ${levels} levels`];
  const text = JSON.stringify(json) as string | undefined;
  if (text === undefined) return ["is not JSON"];
  const bytes = Buffer.byteLength(text);
  return [
    ...(bytes > largestPayload ? [`is ${bytes} bytes long, of at most ${largestPayload}`] : []),
    ...(unstorable.test(text) ? ["has a NUL or half a character in a text"] : []),
    ...(hasInexactNumber(json) ? ["has a number too large to be exact: write it as a text"] : []),
  ];
}

/** `JSON.stringify` escapes exactly these so; a backslash of the text itself is doubled. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const isDeeperThan = (levels: number, json: unknown): boolean =>
  typeof json === "object" &&
  json !== null &&
  (levels === 0 || Object.values(json).some((item) => isDeeperThan(levels - 1, item)));

function hasInexactNumber(json: unknown): boolean {
  if (typeof json === "number") {
    return !Number.isFinite(json) || (Number.isInteger(json) && !Number.isSafeInteger(json));
  }
  return typeof json === "object" && json !== null && Object.values(json).some(hasInexactNumber);
}
