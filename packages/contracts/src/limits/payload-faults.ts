import type { ValueFault } from "@holdfast/domain";
import { escaped } from "../schema/schema-keywords.ts";
import { limits } from "./limits.ts";

/** The words of `payloadFaultsAt`, for what names no places. */
export const payloadFaults = (
  json: unknown,
  levels: number = limits.payloadDepth,
): readonly string[] => payloadFaultsAt(json, levels).map(({ detail }) => detail);

/**
 * What is wrong with a payload as a part of a sentence: `has a NUL or half a character in a text
 * (/guest/name)`.
 */
export const payloadWords = (faults: readonly ValueFault[]): string =>
  faults
    .map(({ pointer, detail }) =>
      pointer === "" ? detail : `${detail} (${pointer.slice(0, limits.name).toWellFormed()})`,
    )
    .join(" and ");

/**
 * What keeps JSON from being stored and read back unchanged, and the first place of each; empty:
 * nothing. Each of these passes `JSON.parse` and breaks, or is changed, later on: too deep, too
 * large, a NUL or half a character in a text, a number that is no longer the one that was written,
 * a field that programs take for a prototype. Looks no deeper than `levels`, so no depth exhausts
 * the stack.
 */
export function payloadFaultsAt(
  json: unknown,
  levels: number = limits.payloadDepth,
): readonly ValueFault[] {
  const found: Found = {
    isTooDeep: false,
    isNoJson: ["undefined", "function", "symbol"].includes(typeof json),
    isUnstorable: false,
    isInexact: false,
    hasPrototype: false,
    mostBytes: 0,
  };
  look(json, levels, found);
  if (found.isTooDeep) return [{ pointer: "", detail: `is deeper than ${levels} levels` }];
  if (found.isNoJson) return [{ pointer: placeOf(json, isNoJson), detail: "is not JSON" }];
  // Writing it out is the expensive part; most payloads are far too small to need it.
  const bytes = found.mostBytes > limits.payloadBytes ? Buffer.byteLength(JSON.stringify(json)) : 0;
  const faults: ValueFault[] = [];
  if (bytes > limits.payloadBytes) {
    const detail = `is ${bytes} bytes long, of at most ${limits.payloadBytes}`;
    faults.push({ pointer: "", detail });
  }
  if (found.isUnstorable) {
    const pointer = placeOf(json, isUnstorable);
    faults.push({ pointer, detail: "has a NUL or half a character in a text" });
  }
  if (found.isInexact) {
    const pointer = placeOf(json, isInexactNumber);
    faults.push({ pointer, detail: "has a number too large to be exact: write it as a text" });
  }
  if (found.hasPrototype) {
    faults.push({
      pointer: placeOf(json, isPrototype),
      detail: "has a field that no value may have",
    });
  }
  return faults;
}

type Test = (value: unknown, key: string | null) => boolean;

const isNoJson: Test = (value) =>
  ["undefined", "function", "symbol", "bigint"].includes(typeof value);
const isUnstorable: Test = (value, key) =>
  [value, key].some((text) => typeof text === "string" && isUnstorableText(text));
const isInexactNumber: Test = (value) => typeof value === "number" && isInexact(value);
const isPrototype: Test = (_, key) => key === prototype;

/** The pointer to the first value for which a test holds; of a value that is not too deep. */
function placeOf(json: unknown, test: Test): string {
  const find = (value: unknown, name: string | null): string | null => {
    if (test(value, name)) return "";
    if (typeof value !== "object" || value === null) return null;
    if ("toJSON" in value && typeof value.toJSON === "function") return find(value.toJSON(), name);
    for (const [part, below] of Object.entries(value)) {
      const place = find(below, Array.isArray(value) ? null : part);
      if (place !== null) return `/${escaped(part)}${place}`;
    }
    return null;
  };
  return find(json, null) ?? "";
}

/** The name of a field by which some programs change what all objects have. */
const prototype = "__proto__";

interface Found {
  isTooDeep: boolean;
  isNoJson: boolean;
  isUnstorable: boolean;
  isInexact: boolean;
  hasPrototype: boolean;
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
  found.isUnstorable ||= isUnstorableText(text);
}

const isUnstorableText = (text: string): boolean => !text.isWellFormed() || text.includes("\0");

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
      found.hasPrototype ||= key === prototype;
      look(json[key as keyof typeof json], levels - 1, found);
    }
  }
}
