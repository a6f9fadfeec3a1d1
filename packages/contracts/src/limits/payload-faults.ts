import { limits } from "./limits.ts";

/**
 * What keeps JSON from being stored and read back unchanged; empty: nothing. Each of these passes
 * `JSON.parse` and breaks, or is changed, later on: too deep, too large, a NUL or half a character in
 * a text, a number that is no longer the one that was written. Looks no deeper than `levels`, so no
 * depth exhausts the stack.
 */
export function payloadFaults(
  json: unknown,
  levels: number = limits.payloadDepth,
): readonly string[] {
  const found: Found = {
    isTooDeep: false,
    isNoJson: ["undefined", "function", "symbol"].includes(typeof json),
    isUnstorable: false,
    isInexact: false,
    mostBytes: 0,
  };
  look(json, levels, found);
  if (found.isTooDeep) return [`is deeper than ${levels} levels`];
  if (found.isNoJson) return ["is not JSON"];
  // Writing it out is the expensive part; most payloads are far too small to need it.
  const bytes = found.mostBytes > limits.payloadBytes ? Buffer.byteLength(JSON.stringify(json)) : 0;
  return [
    ...(bytes > limits.payloadBytes
      ? [`is ${bytes} bytes long, of at most ${limits.payloadBytes}`]
      : []),
    ...(found.isUnstorable ? ["has a NUL or half a character in a text"] : []),
    ...(found.isInexact ? ["has a number too large to be exact: write it as a text"] : []),
  ];
}

interface Found {
  isTooDeep: boolean;
  isNoJson: boolean;
  isUnstorable: boolean;
  isInexact: boolean;
  /** It has no more bytes than that, written as JSON. */
  mostBytes: number;
}

/** The longest escape of a character, such as `\u0001`. */
const escape = 6;
/** A number at its longest, `null`, a bracket, with the comma after it. */
const scalar = 26;

function look(json: unknown, levels: number, found: Found): void {
  if (typeof json === "string") return lookAtText(json, found);
  if (typeof json === "object" && json !== null) return lookInto(json, levels, found);
  found.mostBytes += scalar;
  if (typeof json === "number") found.isInexact ||= isInexact(json);
  if (typeof json === "bigint") found.isNoJson = true;
}

const isInexact = (number: number): boolean =>
  !Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number));

function lookAtText(text: string, found: Found): void {
  found.mostBytes += text.length * escape + 3;
  found.isUnstorable ||= !text.isWellFormed() || text.includes("\0");
}

function lookInto(json: object, levels: number, found: Found): void {
  found.isTooDeep ||= levels === 0;
  if (found.isTooDeep) return;
  found.mostBytes += scalar;
  if (Array.isArray(json)) {
    for (const item of json) look(item, levels - 1, found);
  } else if ("toJSON" in json && typeof json.toJSON === "function") {
    look(json.toJSON(), levels - 1, found);
  } else {
    for (const key of Object.keys(json)) {
      lookAtText(key, found);
      look(json[key as keyof typeof json], levels - 1, found);
    }
  }
}
