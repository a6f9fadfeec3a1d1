import type { Json } from "@holdfast/domain";
import { type HostileSchema, hostilePatterns, repeated, type Schema } from "./hostile-patterns.ts";

const draft2020 = "https://json-schema.org/draft/2020-12/schema";

/** `depth` levels, each of which checks the next one twice: 2^depth checks. */
function bomb(depth: number, { keyword = "allOf", leaf = { type: "integer" } } = {}): Schema {
  const next = (level: number): Json => ({ $ref: `#/definitions/a${level + 1}` });
  const levels = Array.from({ length: depth }, (_, level): [string, Json] => [
    `a${level}`,
    { [keyword]: [next(level), next(level)] },
  ]);
  return {
    definitions: Object.fromEntries([...levels, [`a${depth}`, leaf]]),
    properties: { x: { $ref: "#/definitions/a0" } },
  };
}

/** A map of so many properties that each name is short. */
const fields = (count: number, part: Json): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, part]));

const objects = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));

/** A tree that each level checks twice. */
const recursive: Schema = {
  definitions: {
    node: {
      type: "object",
      properties: {
        next: { allOf: [{ $ref: "#/definitions/node" }, { $ref: "#/definitions/node" }] },
      },
    },
  },
  properties: { x: { $ref: "#/definitions/node" } },
};

const chain = (depth: number): object => (depth === 0 ? {} : { next: chain(depth - 1) });

/** A schema of so many references, one behind the other, each in a list of this keyword. */
export const chainOfReferences = (
  length: number,
  keyword: "allOf" | "anyOf" | "oneOf" = "allOf",
): Schema => ({
  definitions: Object.fromEntries(
    Array.from({ length }, (_, level): [string, Json] => [
      `a${level}`,
      level === length - 1
        ? { type: "number" }
        : { [keyword]: [{ $ref: `#/definitions/a${level + 1}` }] },
    ]),
  ),
  properties: { x: { $ref: "#/definitions/a0" } },
});

/** Each reference is an alternative that fails, behind as many errors as there are items. */
const manyErrors: Schema = {
  definitions: { text: { type: "string" } },
  properties: {
    x: {
      anyOf: [
        { contains: { type: "object" } },
        ...Array.from({ length: 450 }, () => ({ $ref: "#/definitions/text" })),
      ],
    },
  },
};

export const hostileSchemas: Readonly<Record<string, HostileSchema>> = {
  ...hostilePatterns,
  "references that double": { schema: bomb(26), value: { x: "text" }, refusal: /10000 parts/ },
  "references that double, value that fits": {
    schema: bomb(33),
    value: { x: 1 },
    refusal: /10000 parts/,
  },
  "alternatives that double": {
    schema: bomb(26, { keyword: "anyOf" }),
    value: { x: "text" },
    refusal: /10000 parts/,
  },
  "a chain of references": {
    schema: chainOfReferences(300),
    value: { x: 1 },
    refusal: /more than 128 levels/,
  },
  "references that double ten times": { schema: bomb(10), value: { x: 1 } },
  "references that double ten times, for each item": {
    schema: { ...bomb(10), properties: { x: { items: { $ref: "#/definitions/a0" } } } },
    value: { x: repeated(100_000, 1) },
  },
  "a tree that each level checks twice": { schema: recursive, value: { x: chain(28) } },
  "a part that is itself": {
    schema: { properties: { x: { $ref: "#/properties/x" } } },
    value: { x: 1 },
    refusal: /refers to itself/,
  },
  "parts that are each other": {
    schema: {
      definitions: {
        a: { anyOf: [{ $ref: "#/definitions/b" }] },
        b: { not: { $ref: "#/definitions/a" } },
      },
      properties: { x: { $ref: "#/definitions/a" } },
    },
    value: { x: 1 },
    refusal: /refers to itself/,
  },
  "unique objects": {
    schema: {
      properties: {
        x: { type: "array", maxItems: 10, uniqueItems: true, items: { type: "object" } },
      },
    },
    value: { x: objects(15_000) },
  },
  "unique objects without end": {
    schema: { properties: { x: { type: "array", uniqueItems: true } } },
    value: { x: objects(15_000) },
  },
  "unique items at each level": {
    schema: {
      definitions: { list: { uniqueItems: true, items: { $ref: "#/definitions/list" } } },
      properties: { x: { $ref: "#/definitions/list" } },
    },
    value: { x: [[[[[[[[objects(10_000)]]]]]]]] },
  },
  "many alternatives for each item": {
    schema: { properties: { x: { items: { anyOf: repeated(500, { type: "string" }) } } } },
    value: { x: repeated(100_000, 1) },
  },
  "an item that is looked for by many": {
    schema: { properties: { x: { allOf: repeated(300, { contains: { type: "string" } }) } } },
    value: { x: repeated(100_000, 1) },
  },
  "a reference that is looked for in each item": {
    schema: {
      definitions: { text: { type: "string" } },
      properties: { x: { contains: { $ref: "#/definitions/text" } } },
    },
    value: { x: repeated(100_000, 1) },
  },
  "references that fail behind many errors": {
    schema: manyErrors,
    value: { x: repeated(100_000, 1) },
  },
  "long enums for each item": {
    schema: { properties: { x: { items: { enum: objects(3_000) } } } },
    value: { x: repeated(50_000, { index: 2_999 }) },
  },
  "lengths of one text, many times": {
    schema: { properties: { x: { allOf: repeated(900, { minLength: 1 }) } } },
    value: { x: "é".repeat(120_000) },
  },
  "names that are as long as the value": {
    schema: {
      additionalProperties: { items: { allOf: repeated(50, { anyOf: [{ type: "string" }, {}] }) } },
    },
    value: { ["~".repeat(100_000)]: repeated(10_000, 1) },
  },
  "what remains, of many fields": {
    schema: {
      $schema: draft2020,
      properties: {
        x: {
          items: {
            anyOf: repeated(20, { properties: fields(40, true) }),
            unevaluatedProperties: false,
          },
        },
      },
    },
    value: { x: repeated(2_000, fields(40, 1)) },
  },
  "what remains, behind many references": {
    schema: {
      $schema: draft2020,
      $defs: Object.fromEntries(
        Array.from({ length: 60 }, (_, level): [string, Json] => [
          `a${level}`,
          level === 59
            ? { properties: fields(300, true) }
            : { allOf: [{ $ref: `#/$defs/a${level + 1}` }] },
        ]),
      ),
      properties: { x: { items: { $ref: "#/$defs/a0", unevaluatedProperties: false } } },
    },
    value: { x: repeated(10_000, {}) },
  },
  "unknown fields": {
    schema: { type: "object", properties: {}, additionalProperties: false },
    value: fields(30_000, 1),
  },
  "missing fields": {
    schema: {
      properties: {
        x: { items: { required: Array.from({ length: 1_000 }, (_, index) => `p${index}`) } },
      },
    },
    value: { x: repeated(50_000, {}) },
  },
  "a field that needs many others": {
    schema: {
      $schema: draft2020,
      properties: {
        x: {
          items: {
            dependentRequired: { a: Array.from({ length: 9_000 }, (_, index) => `p${index}`) },
          },
        },
      },
    },
    value: { x: repeated(10_000, { a: 1 }) },
  },
  "many fields that need others": {
    schema: {
      dependencies: fields(900, ["q"]),
    },
    value: fields(900, 1),
  },
  "more parts than can be compiled at once": {
    schema: {
      properties: fields(3_000, {
        anyOf: [{ type: "string", pattern: "^a" }, { type: "integer" }],
      }),
    },
    value: fields(3_000, 1),
    refusal: /more than 1000 parts/,
  },
  "one part that is used by many": {
    schema: {
      definitions: { wide: { properties: fields(300, { type: "string" }) } },
      properties: fields(300, { $ref: "#/definitions/wide" }),
    },
    value: fields(300, fields(200, "a")),
    refusal: /10000 parts/,
  },
  "one of many for each item": {
    schema: { properties: { x: { items: { oneOf: repeated(250, { type: "string" }) } } } },
    value: { x: repeated(100_000, 1) },
  },
  "a check that is a promise": {
    schema: { $async: true, type: "object", required: ["y"] },
    value: {},
    refusal: /\$async is not supported/,
  },
  "a reference that is found when it runs": {
    schema: { $schema: draft2020, properties: { x: { $dynamicRef: "#node" } } },
    value: { x: 1 },
    refusal: /\$dynamicRef is not supported/,
  },
  "a reference to another schema": {
    schema: { properties: { x: { $ref: "https://example.org/other" } } },
    value: { x: 1 },
    refusal: /refers to another schema/,
  },
};
