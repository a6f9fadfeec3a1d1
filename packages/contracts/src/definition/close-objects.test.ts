import type { Json } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { resultOf, suiteOf } from "../../test/json-schema-suite.ts";
import { isObject, type JsonSchema } from "../schema/schema-keywords.ts";
import { compileInput } from "./check-input.ts";
import { schemaCompiler } from "./schema-compiler.ts";

const form: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, credit_card: { type: "number" } },
  required: ["name"],
};
const billing: JsonSchema = {
  properties: { billing_address: { type: "string" } },
  required: ["billing_address"],
};
const draft2020 = { $schema: "https://json-schema.org/draft/2020-12/schema" };

test.each<[string, JsonSchema]>([
  ["dependencies", { ...form, dependencies: { credit_card: billing } }],
  ["dependentSchemas", { ...draft2020, ...form, dependentSchemas: { credit_card: billing } }],
  ["dependentSchemas without a dialect", { ...form, dependentSchemas: { credit_card: billing } }],
  [
    "dependentRequired",
    { ...draft2020, ...form, dependentRequired: { credit_card: ["billing_address"] } },
  ],
])("a field that only %s names can be given, and is asked for", (_, schema) => {
  const check = compileInput(schema);
  expect(check({ name: "a" })).toEqual([]);
  expect(check({ name: "a", credit_card: 1, billing_address: "x" })).toEqual([]);
  expect(check({ name: "a", credit_card: 1 })).toMatchObject([
    { pointer: expect.stringMatching(/^(\/billing_address)?$/) },
  ]);
});

test("a field that is only required is known, and others are refused as before", () => {
  const check = compileInput({ properties: { a: {} }, required: ["b"] });
  expect(check({ a: 1, b: 2 })).toEqual([]);
  expect(check({ b: 2, c: 3 })).toMatchObject([{ pointer: "/c" }]);
});

test.each<[string, JsonSchema, Json]>([
  ["a number of fields", { properties: { a: {} }, minProperties: 2 }, { a: 1, b: 2 }],
  ["names of a pattern", { properties: { a: {} }, propertyNames: { maxLength: 3 } }, { xyz: 1 }],
  ["a whole value", { properties: { a: {} }, const: { a: 1, b: 2 } }, { a: 1, b: 2 }],
  ["some values", { properties: { a: {} }, enum: [{ b: 2 }] }, { b: 2 }],
  [
    "a field below one that a pattern names, too",
    {
      properties: { ab: { properties: { c: {} } } },
      patternProperties: { "^a": { properties: { d: { type: "string" } }, required: ["d"] } },
    },
    { ab: { c: 1, d: "x" } },
  ],
])("a schema that asks for %s takes what fits it", (_, schema, value) => {
  expect(compileInput(schema)(value)).toEqual([]);
});

/** All names of fields in a value. */
const namesIn = (value: Json): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(namesIn)
    : isObject(value)
      ? Object.entries(value).flatMap(([name, part]) => [name, ...namesIn(part)])
      : [];

test("closing the objects of a schema of the official suite refuses no value whose fields it mentions", () => {
  let compared = 0;
  for (const group of [...suiteOf("draft-07"), ...suiteOf("2020-12")]) {
    const { schema, tests } = group;
    if (resultOf(group).refusal !== null) continue;
    const open = schemaCompiler({ allErrors: false })(schema);
    const check = compileInput(schema);
    const mentioned = new Set(namesIn(schema).concat(textsIn(schema)));
    // No payload has this field.
    mentioned.delete("__proto__");
    for (const { value } of tests) {
      if (open.check(value).errors.length > 0) expect(check(value)).not.toEqual([]);
      else if (namesIn(value).every((name) => mentioned.has(name))) {
        expect({ schema, value, faults: check(value) }).toEqual({ schema, value, faults: [] });
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(1_000);
});

/** All texts in a schema: names of fields that are required stand there, too. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
