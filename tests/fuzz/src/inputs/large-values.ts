import { limits } from "@holdfast/contracts";
import type { Dice } from "./dice.ts";

/** Joins as many copies of a text, with commas between them, as have so many bytes. */
const joined = (unit: string, bytes: number): string => {
  const count = Math.max(1, Math.floor(bytes / (Buffer.byteLength(unit) + 1)));
  return Array.from({ length: count }, () => unit).join();
};
const filled = (unit: string, bytes: number): string =>
  unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
/** A text within so many levels. */
const nested = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const keys = (bytes: number, nameOf: (index: number) => string): string => {
  const count = Math.max(1, Math.floor(bytes / (nameOf(99_999).length + 5)));
  return `{${Array.from({ length: count }, (_, index) => `"${nameOf(index)}":1`).join()}}`;
};

/** Levels that are left for a value which stands in a payload, or in a field beside it. */
const levels = limits.payloadDepth - 4;

/** Ways to fill so many bytes with JSON; each as it is written. */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  "many lists": (bytes) => `[${joined("[]", bytes)}]`,
  "many objects": (bytes) => `[${joined("{}", bytes)}]`,
  "many numbers": (bytes) => `[${joined("0", bytes)}]`,
  "many texts": (bytes) => `[${joined('""', bytes)}]`,
  "many lines": (bytes) => `[${joined('{"sku":"lamp-1","quantity":2,"price":4900}', bytes)}]`,
  "deep lists": (bytes) => `[${joined(nested("[", "]", levels), bytes)}]`,
  "deep objects": (bytes) => `[${joined(nested('{"a":', "}", levels), bytes)}]`,
  "long text": (bytes) => `"${filled("x", bytes)}"`,
  "long text of two bytes each": (bytes) => `"${filled("é", bytes)}"`,
  "surrogate pairs": (bytes) => `"${filled("\u{1f4a9}", bytes)}"`,
  "surrogate pairs, escaped": (bytes) => `"${filled("\\ud83d\\udca9", bytes)}"`,
  "escaped characters": (bytes) => `"${filled("\\u001f", bytes)}"`,
  "escaped quotes": (bytes) => `"${filled('\\"', bytes)}"`,
  "huge numbers": (bytes) => `[${joined("1.7976931348623157e308", bytes)}]`,
  "a number of many digits": (bytes) => `1${filled("0", Math.min(bytes, 300))}`,
  "a number without end": (bytes) => `0.${filled("3", bytes)}`,
  "numbers that are not exact": (bytes) => `[${joined("12345678901234567890", bytes)}]`,
  "many keys": (bytes) => keys(bytes, (index) => `k${index}`),
  "keys that are indices": (bytes) => keys(bytes, (index) => `${index * 7}`),
  "long key": (bytes) => `{"${filled("k", bytes)}":1}`,
  "the same key": (bytes) => `{${joined('"a":1', bytes)}}`,
  "inherited keys": (bytes) =>
    `[${joined('{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"toString":1}', bytes)}]`,
  "inherited keys, one in another": (bytes) =>
    `[${joined(nested('{"__proto__":', "}", levels), bytes)}]`,
};

export const largeShapes: readonly string[] = Object.keys(shapes);

/** Bytes beside what a value of this size stands in, so that it is just within its limit. */
const spare = 2_000;

/**
 * Sizes with how often each comes beside the others: at the limits, just beyond them, and half of
 * them.
 */
const sizes = [
  { weight: 40, bytes: 4_000 },
  { weight: 10, bytes: limits.hintBytes - spare },
  { weight: 5, bytes: limits.hintBytes + spare },
  { weight: 4, bytes: 64 * 1024 },
  { weight: 3, bytes: limits.payloadBytes - spare },
  { weight: 1, bytes: limits.payloadBytes + spare },
  { weight: 1, bytes: limits.messageBytes - spare },
  { weight: 1, bytes: limits.messageBytes + spare },
] as const;

const lots = sizes.flatMap(({ weight, bytes }) => Array.from({ length: weight }, () => bytes));

/** A value as large as something may be, in any shape. */
export function largeValue(dice: Dice): { readonly text: string; readonly shape: string } {
  const shape = dice.pick(largeShapes);
  return { text: shapes[shape]!(dice.pick(lots)), shape };
}
