import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { ChangedJson, changesIn, keepsNumber, parseJsonText } from "./json-text.ts";

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });

test("what JSON.stringify writes is read as it was, and found unchanged", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(changesIn(text)).toEqual([]);
      expect(parseJsonText(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["100.00", 100],
  ["-0", -0],
  ["1E2", 100],
  ["1e+2", 100],
  ["0.10", 0.1],
  ["0.30000000000000004", 0.30000000000000004],
  ["1.7976931348623157e308", Number.MAX_VALUE],
  ["5e-324", 5e-324],
  ["0e999999", 0],
  ["9007199254740991", 9007199254740991],
  ["0.000000000000000000000000000001", 1e-30],
])("the number %s is kept", (text, number) => {
  expect(keepsNumber(text)).toBe(true);
  expect(parseJsonText(`{"a":[${text}]}`)).toEqual({ a: [number] });
});

test.each([
  ["0.1234567890123456789", "more digits"],
  ["90071992547409.93456", "more digits"],
  ["2.5e-400", "too small"],
  ["1e400", "too large"],
  ["-1e400", "too large"],
  ["9007199254740993", "too large"],
  ["3544790567247868102", "too large"],
  ["1.00000000000000001", "more digits"],
])("the number %s is refused with its place, as it would be another one", (text, words) => {
  expect(keepsNumber(text)).toBe(false);
  expect(changesIn(`{"a/b":{"rates":[1,${text}]}}`)).toEqual([
    { pointer: "/a~1b/rates/1", detail: expect.stringContaining(words) },
  ]);
});

test("a decimal is kept if and only if its digits come back", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,19}$/);
  fc.assert(
    fc.property(digits, fc.nat({ max: 19 }), (all, places) => {
      const scale = 10n ** 40n;
      const padded = all.padStart(places + 1, "0");
      const text = places === 0 ? all : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
      const scaled = (decimal: string): bigint => {
        const [, whole = "", fraction = "", exponent = "0"] =
          /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(decimal) ?? [];
        const power = 40 - fraction.length + Number(exponent);
        return power >= 0 ? BigInt(whole + fraction) * 10n ** BigInt(power) : -1n * scale;
      };
      expect(keepsNumber(text)).toBe(scaled(text) === scaled(String(Number(text))));
    }),
  );
});

test("a field that stands twice is refused with its place, however its name is written", () => {
  const twice = "has two values: an object has each field once";
  expect(changesIn('{"a":{"b":1,"b":2},"c":[{"d":1},{"d":2,"\\u0064":3}]}')).toEqual([
    { pointer: "/a/b", detail: twice },
    { pointer: "/c/1/d", detail: twice },
  ]);
  expect(changesIn('{"a":"a","b":{"a":{"a":1}},"c":["a","a"]}')).toEqual([]);
});

test("a text with both faults says the first of them, and what was read is known", () => {
  const read = () => parseJsonText('\ufeff{"a":1,"a":0.12345678901234567890}');
  expect(read).toThrow(ChangedJson);
  expect(read).toThrow("/a has two values: an object has each field once");
  try {
    read();
  } catch (error) {
    expect((error as ChangedJson).json).toEqual({ a: 0.12345678901234568 });
    expect((error as ChangedJson).faults).toHaveLength(2);
  }
});

test("a text that is no JSON is a syntax error of its own", () => {
  expect(() => parseJsonText("{")).toThrow(SyntaxError);
  expect(() => parseJsonText("{")).not.toThrow(ChangedJson);
});

test("of a text in which everything is wrong, fifty places are named, in time that grows with the text", () => {
  const text = `[${"1e999,".repeat(40_000)}1]`;
  expect(changesIn(text)).toHaveLength(50);
  const fields = `{${'"a":1,'.repeat(40_000)}"b":1}`;
  expect(changesIn(fields)).toHaveLength(50);
});
