import { describe, expect, test } from "@jest/globals";
import { compileInput } from "../definition/check-input.ts";
import { sampleValue } from "./sample-value.ts";
import type { JsonSchema } from "./schema-keywords.ts";

function sampleFor(schema: JsonSchema) {
  const check = compileInput(schema);
  const value = sampleValue(schema, { name: "sample", fits: (one) => check(one).length === 0 });
  return { value, faults: check(value) };
}
const fields = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});

describe("a sample", () => {
  test.each<[string, JsonSchema, unknown]>([
    ["a month", { type: "string", pattern: "^\\d{4}-\\d{2}$" }, "0000-00"],
    ["an account", { type: "string", pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$" }, undefined],
    ["a choice", { type: "string", pattern: "^(red|green)-x+$" }, "red-x"],
    ["what may repeat", { type: "string", pattern: "^[a-f0-9]+$", minLength: 6 }, "aaaaaa"],
    ["what stands anywhere", { type: "string", pattern: "\\bcat\\b" }, "cat"],
    ["what must not begin so", { type: "string", pattern: "^(?!a)[a-z]{3}$" }, undefined],
    ["two groups", { type: "string", pattern: "^(?:(?<a>\\w)-){2}\\.$" }, "a-a-."],
    ["a property of Unicode", { type: "string", pattern: "^\\p{Lu}\\p{Ll}+$" }, "Aa"],
    ["a format and its pattern", { type: "string", format: "email", pattern: "@" }, undefined],
    ["another pattern than its format", { format: "date", pattern: "^2030-01-0[1-3]$" }, undefined],
  ])("of a text with the pattern of %s matches it", (_, schema, value) => {
    const sample = sampleFor(schema);
    expect(sample.faults).toEqual([]);
    if (value !== undefined) expect(sample.value).toBe(value);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["at least three", { type: "integer", minimum: 3 }, 3],
    ["above nine", { type: "number", exclusiveMinimum: 9 }, 10],
    ["below nothing", { type: "integer", exclusiveMaximum: 0 }, -1],
    ["a part of one", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ["quarters", { type: "number", multipleOf: 0.25, minimum: 3.1 }, 3.25],
    ["dozens", { type: "integer", multipleOf: 12, minimum: 13, maximum: 30 }, 24],
    ["at most minus ten", { maximum: -10 }, -10],
  ])("of a number that is %s is one", (_, schema, value) => {
    expect(sampleFor(schema)).toEqual({ value, faults: [] });
  });

  test.each<[string, JsonSchema, unknown]>([
    [
      "a reference",
      { $ref: "#/$defs/guest", $defs: { guest: fields({ name: { type: "string" } }) } },
      { name: "name" },
    ],
    [
      "parts that all hold",
      { allOf: [fields({ a: { const: 1 } }), fields({ b: { enum: ["x", "y"] } })] },
      { a: 1, b: "x" },
    ],
    [
      "alternatives, of which the first cannot be met with the rest",
      {
        type: "object",
        properties: { kind: { const: "card" }, card: { type: "string" }, cash: { not: {} } },
        required: ["kind"],
        oneOf: [{ required: ["cash"] }, { required: ["card"] }],
      },
      { kind: "card", card: "card" },
    ],
    ["places of their own", { prefixItems: [{ type: "string" }, { const: 2 }] }, ["sample", 2]],
    [
      "items that differ",
      { type: "array", minItems: 3, uniqueItems: true, items: { type: "string" } },
      ["sample", "sample-1", "sample-2"],
    ],
    [
      "items that differ and match",
      { type: "array", minItems: 3, uniqueItems: true, items: { pattern: "^[0-9]$" } },
      ["0", "1", "2"],
    ],
    [
      "an item that must be among them",
      { type: "array", contains: { const: 7 }, minContains: 2 },
      [7, 7],
    ],
    [
      "fields by the pattern of their names",
      {
        type: "object",
        required: ["x-a"],
        patternProperties: { "^x-": { type: "integer" } },
        additionalProperties: false,
      },
      { "x-a": 1 },
    ],
    [
      "as many fields as there must be",
      { type: "object", minProperties: 2, additionalProperties: { type: "boolean" } },
      { field: true, "field-1": true },
    ],
    [
      "a field that another one needs",
      {
        ...fields({ card: { type: "string" } }),
        properties: { card: { type: "string" }, code: { type: "integer" } },
        dependentRequired: { card: ["code"] },
      },
      { card: "card", code: 1 },
    ],
    ["several types", { type: ["integer", "null"] }, 1],
    ["examples", { type: "string", examples: ["bob"], default: "ann" }, "bob"],
    ["an example that does not fit", { type: "integer", examples: ["one", 2] }, 2],
    ["nothing", {}, null],
  ])("of a schema with %s fits it", (_, schema, value) => {
    expect(sampleFor(schema)).toEqual({ value, faults: [] });
  });

  test("of a schema that refers to itself ends, and so does one of a schema that no value fits", () => {
    const tree = {
      $ref: "#/$defs/tree",
      $defs: {
        tree: fields({
          name: { type: "string" },
          below: { type: "array", items: { $ref: "#/$defs/tree" } },
        }),
      },
    };
    expect(sampleFor(tree)).toEqual({ value: { name: "name", below: [] }, faults: [] });
    const endless = { $ref: "#/$defs/a", $defs: { a: fields({ a: { $ref: "#/$defs/a" } }) } };
    const none = sampleValue(endless, { name: "x", fits: () => false });
    expect(JSON.stringify(none).length).toBeLessThan(1_000);
    const twice = fields({ a: { $ref: "#" }, b: { $ref: "#" } });
    expect(sampleValue(twice, { name: "x", fits: () => false })).toBeNull();
    expect(sampleFor({ not: {} })).toEqual({ value: null, faults: [expect.anything()] });
  });

  test.each(["#/%zz", "#/$defs/%", "#%", "#/$defs/%ff", "#/$defs/%ED%A0%80"])(
    "of a schema with a reference to %s, which cannot be decoded, is one all the same",
    (ref) => {
      const schema = fields({ a: { $ref: ref }, b: { const: 1 } });
      expect(sampleValue(schema, { name: "x", fits: () => true })).toMatchObject({ b: 1 });
    },
  );
});
