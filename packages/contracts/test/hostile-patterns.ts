import type { Json } from "@holdfast/domain";

export type Schema = { readonly [key: string]: Json };

/** A schema that looks harmless to its author, and a value that would cost much. */
export interface HostileSchema {
  readonly schema: Schema;
  readonly value: unknown;
  /** What is refused when it is to be stored; absent: it may be stored. */
  readonly refusal?: RegExp;
}

export const repeated = (count: number, item: Json): Json =>
  Array.from({ length: count }, () => item);

/** A text of 40,000 different characters beyond ASCII, each twice. */
const manyCharacters = Array.from({ length: 80_000 }, (_, index) =>
  String.fromCodePoint(0x20000 + (index % 40_000)),
).join("");

const pattern = (source: string): Schema => ({
  properties: { x: { type: "string", pattern: source } },
});

/** Patterns that take exponential or quadratic time, or much memory, elsewhere. */
export const hostilePatterns: Readonly<Record<string, HostileSchema>> = {
  "nested repetition": { schema: pattern("^(\\w+\\s?)*$"), value: { x: `${"a".repeat(60)}!` } },
  "nested repetition, long": {
    schema: pattern("^(\\w+\\s?)*$"),
    value: { x: `${"a".repeat(250_000)}!` },
  },
  "alternatives that overlap": { schema: pattern("(a|a|aa)*b"), value: { x: "a".repeat(250_000) } },
  "a search from each place": { schema: pattern("(.*)=(.*);"), value: { x: "=".repeat(100_000) } },
  "counted repetition": { schema: pattern("^(a?){2000}$"), value: { x: "a".repeat(100_000) } },
  "repetition of repetition": {
    schema: pattern("((a{50}){50}){50}"),
    value: { x: "a".repeat(1_000) },
    refusal: /maxLength/,
  },
  "repetition beyond all numbers": {
    schema: pattern(`${"(?:".repeat(60)}a${"){999999}".repeat(60)}`),
    value: { x: "a" },
    refusal: /maxLength/,
  },
  "repetition beyond all numbers, at most once": {
    schema: pattern(`(?:${"(?:".repeat(60)}a${"){999999}".repeat(60)})?`),
    value: { x: "a" },
    refusal: /maxLength/,
  },
  "a count beyond all numbers": {
    schema: pattern(`(?:a{${"9".repeat(400)}}){2}`),
    value: { x: "a" },
    refusal: /maxLength/,
  },
  "many different characters": { schema: pattern("(a|.)*b"), value: { x: manyCharacters } },
  "many properties of Unicode": {
    schema: pattern("^[\\p{L}\\p{N}\\p{Script=Greek}]*\\P{L}$"),
    value: { x: manyCharacters },
  },
  "looks ahead that are nested": {
    schema: pattern("^(?=(a+)+$)(?!(b|b)*c)(?=.*(?=(d*)*e))"),
    value: { x: "a".repeat(100_000) },
  },
  "a group that is referred back to": {
    schema: pattern("^(a+)\\1+$"),
    value: { x: `${"a".repeat(60)}!` },
    refusal: /refers back/,
  },
  "a pattern for names of properties": {
    schema: { patternProperties: { "^(a+)+$": { type: "string" } }, additionalProperties: true },
    value: { [`${"a".repeat(60)}!`]: 1, [`${"a".repeat(100_000)}!`]: 1 },
  },
  "many patterns for one text": {
    schema: { properties: { x: { allOf: repeated(300, { pattern: "^(a|aa)*$" }) } } },
    value: { x: "a".repeat(100_000) },
  },
  "many classes of characters": {
    schema: {
      allOf: Array.from({ length: 12 }, (_, index) => ({
        pattern: Array.from(
          { length: 200 },
          (_class, at) => `[a${String.fromCodePoint(0x4e00 + 200 * index + at)}]`,
        ).join(""),
      })),
    },
    value: "a".repeat(200_000),
  },
};
