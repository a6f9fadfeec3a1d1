import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { linearPattern } from "./linear-pattern.ts";
import { openMeter, TooManySteps } from "./meter.ts";
import { UnsupportedPattern } from "./parse-pattern.ts";

const matches = (source: string, text: string): boolean => {
  const meter = openMeter();
  meter.begin(10_000_000);
  return linearPattern(source, meter).test(text);
};

/** The steps that a pattern takes for a text. */
function stepsOf(source: string, text: string): number {
  const meter = openMeter();
  meter.begin(1_000_000_000);
  linearPattern(source, meter).test(text);
  return meter.spent;
}

const character = fc.constantFrom(
  "a",
  "b",
  "é",
  "\\d",
  "\\W",
  "\\s",
  ".",
  "[ab]",
  "[^a]",
  "[\\s\\S]",
  "\\u{1F600}",
  "\\p{L}",
  "\\-",
);

/** Regular expressions with all that there is in them, but for what refers back. */
const { pattern } = fc.letrec<{ pattern: string; term: string; atom: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("term"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((options) => options.map((terms) => terms.join("")).join("|")),
  term: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("^", "$", "\\b", "\\B"),
    tie("atom"),
    fc
      .tuple(
        tie("atom"),
        fc.constantFrom("*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{0,2}?", "{2,}"),
      )
      .map((parts) => parts.join("")),
    fc
      .tuple(fc.constantFrom("?=", "?!", "?<=", "?<!"), tie("pattern"))
      .map(([kind, part]) => `(${kind}${part})`),
  ),
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    character,
    fc
      .tuple(fc.constantFrom("", "?:", "?<x>"), tie("pattern"))
      .map(([kind, part]) => `(${kind}${part})`),
  ),
}));

const text = fc.string({
  unit: fc.constantFrom("a", "b", "1", " ", "-", "é", "\n", "😀", "\ud83d"),
  maxLength: 8,
});

const isRegExp = (source: string): boolean => {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    // A name that stands twice, mostly.
    return false;
  }
};

/**
 * V8 begins inside of a character of two units, against the standard, where a pattern need not take
 * one.
 */
const beginsAnywhere = (source: string): boolean => /\\B|\(\?<?[=!]/.test(source);

test("a pattern matches the texts that JavaScript matches, and no others", () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, all) => {
      fc.pre(isRegExp(source));
      const texts = beginsAnywhere(source) ? all.map((one) => one.replaceAll("😀", "é")) : all;
      const expected = new RegExp(source, "u");
      expect(texts.map((one) => matches(source, one))).toEqual(
        texts.map((one) => expected.test(one)),
      );
    }),
    { numRuns: 1_500 },
  );
});

test.each([
  ["", "", true],
  ["^$", "", true],
  ["a{0}", "b", true],
  ["^(?:a|b)+$", "abba", true],
  ["^(?=.*\\d)(?=.*[A-Z]).{8,}$", "Passw0rd", true],
  ["^(?=.*\\d)(?=.*[A-Z]).{8,}$", "password", false],
  ["(?<!\\$)\\b\\d+$", "$12", false],
  ["^\\ud83d\\ude00$", "😀", true],
  ["^[^]{2}$", "😀😀", true],
  ["^\\/\\cJ\\x41\\0$", "/\nA\0", true],
  ["]", "]", false],
])("%j on %j is %j, as far as JavaScript takes it", (source, one, expected) => {
  if (isRegExp(source)) expect(matches(source, one)).toBe(expected);
  else expect(() => matches(source, one)).toThrow(SyntaxError);
});

const nested = "a".repeat(2_000);
const hostile: readonly (readonly [string, (length: number) => string])[] = [
  ["^(\\w+\\s?)*$", (length) => `${"a".repeat(length)}!`],
  ["^(a+)+$", (length) => `${"a".repeat(length)}!`],
  ["(a|a)*b", (length) => "a".repeat(length)],
  ["(a*)*(a*)*(a*)*b", (length) => "a".repeat(length)],
  ["(.*)=(.*);", (length) => "=".repeat(length)],
  ["^(?=(a+)+$)(?!.*(b|b)*c)", (length) => `${"a".repeat(length)}!`],
  ["(?<=(a+)+)b", (length) => "a".repeat(length)],
  ["^(a?){500}$", (length) => "a".repeat(length)],
  ["(x+x+)+y", (length) => "x".repeat(length)],
  [
    "^[^a]*b",
    (length) => Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(""),
  ],
];

test.each(hostile)("%s takes twice the steps for twice the text", (source, textOf) => {
  expect(stepsOf(source, textOf(4_000)) / stepsOf(source, textOf(2_000))).toBeLessThan(2.1);
});

const counts = fc.oneof(
  fc.nat({ max: 9 }).map(String),
  fc.constantFrom("999999", "99999999999", "9".repeat(400)),
);
const repetition = fc.oneof(
  fc.constantFrom("?", "*", "+"),
  counts.map((count) => `{${count}}`),
  counts.map((count) => `{${count},}`),
  counts.map((count) => `{0,${count}}`),
);

/** The size of a pattern; 0: it is refused. */
function sizeOrRefusal(source: string): number {
  try {
    return linearPattern(source, openMeter()).size;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return 0;
    throw error;
  }
}

test("whatever is repeated however often in itself, a pattern is as small as its size says, or is refused", () => {
  fc.assert(
    fc.property(fc.array(repetition, { maxLength: 60 }), (all) => {
      const source = `${"(?:".repeat(all.length)}a${all.map((one) => `)${one}`).join("")}`;
      fc.pre(source.length <= 2_000);
      expect(sizeOrRefusal(source)).toBeLessThanOrEqual(8_000);
    }),
  );
});

test("a pattern ends its check when it has taken the steps that it may", () => {
  const meter = openMeter();
  meter.begin(1_000);
  expect(() => linearPattern("(a*)*b", meter).test(nested)).toThrow(TooManySteps);
  expect(meter.spent).toBeLessThan(1_100);
});

describe("a pattern is refused with what to do", () => {
  test.each([
    ["that refers back to a group", "(a+)\\1", /refers back to a group at 4.*write it without/],
    ["that refers back to a name", "(?<x>a+)\\k<x>", /refers back/],
    ["that repeats too much", "(?:(?:a{100}){100}){100}", /maxLength/],
    ["that repeats nothing too often", "(?:){1000000000}", /maxLength/],
    ["that repeats nothing without end", `(?:){${"9".repeat(400)}}`, /maxLength/],
    ["that is too long", "a".repeat(2_001), /2001 characters long, of at most 2000/],
  ])("%s", (_, source, problem) => {
    expect(() => linearPattern(source, openMeter())).toThrow(problem);
  });

  test("unless JavaScript refuses it, too", () => {
    expect(() => linearPattern("(", openMeter())).toThrow(SyntaxError);
  });
});
