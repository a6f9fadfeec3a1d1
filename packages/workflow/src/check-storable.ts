const largestBytes = 256 * 1024;
/** As deep as a payload may be, and the definition around it. */
const deepest = 40;

/** Whether the store can hold it, and gives back what was put in. */
export function checkStorable(json: unknown): readonly string[] {
  if (isDeeperThan(deepest, json)) return [`is deeper than ${deepest} levels`];
  const text = JSON.stringify(json) as string | undefined;
  if (text === undefined) return ["is not JSON"];
  const bytes = Buffer.byteLength(text);
  return [
    ...(bytes > largestBytes ? [`is ${bytes} bytes long, of at most ${largestBytes}`] : []),
    ...(unstorable.test(text) ? ["has a NUL or half a character in a text"] : []),
  ];
}

/** `JSON.stringify` escapes exactly these so; a backslash of the text itself is doubled. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const isDeeperThan = (levels: number, json: unknown): boolean =>
  typeof json === "object" &&
  json !== null &&
  (levels === 0 || Object.values(json).some((item) => isDeeperThan(levels - 1, item)));
