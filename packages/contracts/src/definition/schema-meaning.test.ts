import type { Json } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { schemaMeaning } from "./schema-meaning.ts";

const same: readonly (readonly [string, Json, Json])[] = [
  ["annotations", { type: "string" }, { type: "string", title: "Name", $schema: "x", default: "" }],
  ["the order of keys", { type: "string", minLength: 1 }, { minLength: 1, type: "string" }],
  ["the order of required fields", { required: ["a", "b"] }, { required: ["b", "a"] }],
  ["the order of an enum", { enum: ["a", "b"] }, { enum: ["b", "a"] }],
  ["a const", { const: "a" }, { enum: ["a"] }],
  ["a list of one type", { type: ["string"] }, { type: "string" }],
  [
    "alternatives that are only types",
    { anyOf: [{ type: "null" }, { type: "string" }] },
    { type: ["string", "null"] },
  ],
  [
    "the bounds of exact integers",
    { type: "integer" },
    { type: "integer", minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 },
  ],
  ["an exclusive bound", { type: "integer", exclusiveMinimum: 0 }, { type: "integer", minimum: 1 }],
  [
    "fields that are allowed anyway",
    { type: "object" },
    { type: "object", additionalProperties: {} },
  ],
  ["no required field", { type: "object" }, { type: "object", required: [] }],
  [
    "names that are text",
    { type: "object" },
    { propertyNames: { type: "string" }, type: "object" },
  ],
  [
    "the pattern of a format",
    { type: "string", format: "email" },
    { type: "string", format: "email", pattern: "@" },
  ],
  [
    "definitions",
    { definitions: { a: {} }, $ref: "#/definitions/a" },
    { $defs: { a: {} }, $ref: "#/$defs/a" },
  ],
];

const different: readonly (readonly [string, Json, Json])[] = [
  ["a type", { type: "string" }, { type: "number" }],
  ["a bound", { type: "integer", maximum: 10 }, { type: "integer", maximum: 11 }],
  ["a bound of a number", { type: "number", exclusiveMinimum: 0 }, { type: "number", minimum: 1 }],
  ["a required field", { required: ["a"] }, { required: ["a", "b"] }],
  ["a closed object", { type: "object" }, { type: "object", additionalProperties: false }],
  ["a pattern", { type: "string", pattern: "a" }, { type: "string", pattern: "b" }],
  [
    "the order of a tuple",
    { items: [{ type: "string" }, {}] },
    { items: [{}, { type: "string" }] },
  ],
  ["one or any of", { oneOf: [{ minimum: 1 }] }, { anyOf: [{ minimum: 1 }] }],
  [
    "a field that is named like an annotation",
    { properties: { title: { type: "string" } } },
    { properties: { title: { type: "number" } } },
  ],
];

const inside = (schema: Json): Json => ({
  properties: { a: { items: { anyOf: [{ not: schema }, { minimum: 5 }] } } },
});

test.each(same)("%s: two spellings of one schema have the same meaning", (_, one, other) => {
  expect(schemaMeaning(other)).toEqual(schemaMeaning(one));
  expect(schemaMeaning(inside(other))).toEqual(schemaMeaning(inside(one)));
});

test.each(different)("%s: two different schemas have different meanings", (_, one, other) => {
  expect(schemaMeaning(other)).not.toEqual(schemaMeaning(one));
  expect(schemaMeaning(inside(other))).not.toEqual(schemaMeaning(inside(one)));
});
