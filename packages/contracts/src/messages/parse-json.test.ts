import { ChangedJson, changesIn } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { limits } from "../limits/limits.ts";
import { payloadFaults } from "../limits/payload-faults.ts";
import { changesOf, parseJson, shapeOf } from "./parse-json.ts";

test("parseJson reads UTF-8, with or without a byte order mark", () => {
  expect(parseJson(Buffer.from('"Zürich 🧀"'))).toBe("Zürich 🧀");
  expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
});

test.each([
  ["Latin-1", Buffer.from('"Zürich"', "latin1")],
  ["UTF-16", Buffer.from('"Zürich"', "utf16le")],
  ["a character that ends too soon", Buffer.from('"🧀"').subarray(0, 3)],
  ["no JSON", Buffer.from("{")],
  ["nothing", Buffer.alloc(0)],
])("parseJson refuses %s", (_, content) => {
  expect(() => parseJson(content)).toThrow(SyntaxError);
});

const nested = (levels: number, inner = ""): string =>
  "[".repeat(levels) + inner + "]".repeat(levels);

test.each([limits.messageDepth + 1, 1_000, 250_000])(
  "of a text of %d levels so many are read that it is seen to be too deep, and no more",
  (levels) => {
    const read = parseJson(Buffer.from(`{"a":[1,"]["],"x":${nested(levels - 1)},"b":[2]}`));
    expect(read).toMatchObject({ a: [1, "]["], b: [2] });
    expect(payloadFaults(read)).toEqual(["is deeper than 32 levels"]);
    expect(shapeOf(Buffer.from(JSON.stringify(read))).depth).toBe(limits.messageDepth);
  },
);

test.each(["[],", "1,", "{},", "[[]],"])(
  "the largest payload is read, though it is full of %s",
  (one) => {
    const count = Math.floor((limits.payloadBytes - 1) / one.length);
    const text = `[${one.repeat(count).slice(0, -1)}]`;
    expect(payloadFaults(parseJson(Buffer.from(text)))).toEqual([]);
  },
);

test("a text of more values than two of the largest payloads can have is refused", () => {
  const list = (values: number) => Buffer.from(`[${"1,".repeat(values - 2)}1]`);
  expect(parseJson(list(limits.messageValues))).toHaveLength(limits.messageValues - 1);
  expect(() => parseJson(list(limits.messageValues + 1))).toThrow("values, of at most");
});

const json = fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });

test("what is within the bounds is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
    }),
  );
});

test("a decimal of 15 digits is read and written as the same number", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,14}$/);
  fc.assert(
    fc.property(digits, fc.nat({ max: 20 }), (text, places) => {
      const padded = text.padStart(places + 1, "0");
      const decimal = places === 0 ? text : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
      const written = JSON.stringify(parseJson(Buffer.from(decimal)));
      expect(sameDecimal(written)).toBe(sameDecimal(decimal));
    }),
  );
});

/** The digits of a decimal and the place of the first one, without zeros at either end. */
function sameDecimal(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const leading = (whole + fraction).length - digits.length;
  return `${digits.replace(/0+$/, "")} ${whole.length - leading + Number(exponent)}`;
}

test("the shape of a text bounds its levels and values", () => {
  const levelsOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(levelsOf))
      : 0;
  const valuesOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Object.values(value).reduce<number>((sum, one) => sum + valuesOf(one), 0)
      : 1;
  fc.assert(
    fc.property(json, (value) => {
      const { depth, values } = shapeOf(Buffer.from(JSON.stringify(value)));
      expect(depth).toBe(levelsOf(value));
      expect(values).toBeGreaterThanOrEqual(valuesOf(value));
    }),
  );
});

/** JSON with numbers of every form and length, and names that may stand twice. */
const anyText = fc
  .array(
    fc.tuple(
      fc.constantFrom("a", "b", "__proto__", '\\"', "\\u0061"),
      fc.oneof(
        fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/),
        fc.constantFrom('"1:2,3e400"', '{"a":1}', '{"a":1,"a":1}', "[1,{}]", "null", '":"'),
      ),
    ),
    { maxLength: 4 },
  )
  .map((fields) => `{${fields.map(([name, value]) => `"${name}" : ${value}`).join(", ")}}`);

test("the quick look at a text finds a change if and only if the whole look finds one", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const content = Buffer.from(text);
      const changes = changesIn(text);
      expect(changesOf(content, JSON.parse(text))).toEqual(changes);
      if (changes.length === 0) expect(parseJson(content)).toEqual(JSON.parse(text));
      else expect(() => parseJson(content)).toThrow(ChangedJson);
    }),
    { numRuns: 1_000 },
  );
});
