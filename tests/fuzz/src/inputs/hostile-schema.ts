import type { Json } from "@holdfast/domain";
import type { Dice } from "./dice.ts";

type Schema = { readonly [keyword: string]: Json };

/**
 * A JSON Schema as an author might write it, by mistake or on purpose, and a value that is
 * expensive to check.
 */
export interface HostileSchema {
  readonly kind: string;
  readonly schema: Schema;
  readonly value: Json;
}

const draft2020 = "https://json-schema.org/draft/2020-12/schema";

const times = <Item>(count: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, make: (index: number) => readonly [string, Json]): Schema =>
  Object.fromEntries(times(count, make));
const fields = (count: number, part: Json): Schema => record(count, (index) => [`p${index}`, part]);
const ones = (count: number): readonly Json[] => times(count, () => 1);
const objects = (count: number): readonly Json[] => times(count, (index) => ({ index }));
/** A part of a schema for the field `x`, and what stands there. */
const atX = (part: Json, value: Json, more: Schema = {}): Omit<HostileSchema, "kind"> => ({
  schema: { ...more, properties: { x: part } },
  value: { x: value },
});

const pieces = [
  "(a+)+",
  "(a|a|aa)*",
  "(a?){300}",
  "(.*)*",
  "(\\w+\\s?)*",
  "(?=(a+)+b)",
  "(?!(a|b)*c)",
  "(?<=(a+)+)",
  "[\\p{L}\\p{N}]*",
  "[^a-z]*",
  "(a{20}){20}",
  "\\b(a\\b)*",
  "(a+)\\1",
  "(|a)*",
  "(\\u{1f4a9}|.)*",
  "((((((((a*)*)*)*)*)*)*)*)*",
] as const;

const pattern = (dice: Dice): string =>
  `${dice.pick(["", "^"])}${times(dice.between(1, 4), () => dice.pick(pieces)).join("")}${dice.pick(["", "$", "b$", "!"])}`;

const texts = (dice: Dice): string => {
  const unit = dice.pick(["a", "a ", "ab", "é", "\u{1f4a9}", "\u0001"]);
  const bytes = dice.pick([60, 2_000, 60_000, 240_000]);
  return (
    unit.repeat(Math.floor(bytes / Buffer.byteLength(JSON.stringify(unit).slice(1, -1)))) + "!"
  );
};

/** Levels of which each refers to the next one so many times. */
function levels(depth: number, width: number, keyword: string, leaf: Json): Schema {
  const definitions = record(depth, (level) => [
    `a${level}`,
    { [keyword]: times(width, () => ({ $ref: `#/definitions/a${level + 1}` })) },
  ]);
  return { definitions: { ...definitions, [`a${depth}`]: leaf } };
}

const lists = ["allOf", "anyOf", "oneOf"] as const;
const leaves = (dice: Dice): Json =>
  dice.pick<Json>([
    true,
    false,
    {},
    { type: "string" },
    { type: "integer" },
    { minimum: 2 },
    { type: ["string", "null"], maxLength: 3 },
    { const: 1 },
    { enum: [1, "1", null] },
    { required: ["y"] },
    { pattern: "(a+)+$" },
    { uniqueItems: true },
    { not: {} },
  ]);

/** Parts in parts, for the same value and for what stands in it. */
function nest(dice: Dice, depth: number): Json {
  if (depth === 0) return leaves(dice);
  const inner = (): Json => nest(dice, depth - 1);
  return dice.pick<() => Json>([
    () => ({ [dice.pick(lists)]: times(dice.between(1, 4), inner) }),
    () => ({ [dice.pick(lists)]: times(dice.between(1, 4), inner) }),
    () => ({ not: inner() }),
    () => Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, inner()])),
    () => ({ items: inner(), contains: inner() }),
    () => ({ properties: { x: inner(), y: inner() }, additionalProperties: inner() }),
    () => ({ patternProperties: { [pattern(dice)]: inner() } }),
    () => ({ propertyNames: inner() }),
    () => ({ dependencies: { x: inner(), y: ["x"] } }),
    () => leaves(dice),
  ])();
}

const wide = (dice: Dice): Json =>
  dice.pick<() => Json>([
    () => ones(120_000),
    () => objects(15_000),
    () => fields(15_000, 1),
    () => texts(dice),
    () => times(400, () => ones(300)),
    () => times(25, () => record(600, (index) => [`k${index}`, "v"])),
    () => times(60_000, () => []),
    () => times(24, () => "[").reduce<Json>((inner) => [inner, 1], objects(8_000)),
  ])();

/** Texts that objects of JavaScript know. */
const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"] as const;

/**
 * Makers of schemas by name. Each takes its sizes from the dice: harmless, at a limit, and beyond
 * it.
 */
const makers: Readonly<Record<string, (dice: Dice) => Omit<HostileSchema, "kind">>> = {
  pattern: (dice) => atX({ type: "string", pattern: pattern(dice) }, texts(dice)),
  "many patterns": (dice) =>
    atX(
      { [dice.pick(lists)]: times(dice.between(2, 200), () => ({ pattern: pattern(dice) })) },
      texts(dice),
    ),
  "characters of patterns": (dice) => {
    const first = dice.between(0x100, 0xff00);
    const source = times(
      dice.between(10, 330),
      (index) => `\\u${(first + index).toString(16).padStart(4, "0")}`,
    );
    return atX({ pattern: `[${source.join("")}]*$` }, texts(dice));
  },
  "chain of references": (dice) => {
    const depth = dice.pick([10, 100, 300, 490, 990]);
    const more = levels(depth, 1, dice.pick(lists), leaves(dice));
    return atX({ items: { $ref: "#/definitions/a0" } }, ones(dice.pick([1, 1_000, 100_000])), more);
  },
  "references that multiply": (dice) => {
    const more = levels(dice.between(3, 30), dice.between(2, 4), dice.pick(lists), leaves(dice));
    return atX({ $ref: "#/definitions/a0" }, dice.pick<Json>([1, "a", null, ones(10)]), more);
  },
  "cycle of references": (dice) => {
    const node = { $ref: "#/definitions/node" };
    const next = dice.pick<Json>([
      node,
      { allOf: [node, node] },
      { anyOf: [node, { oneOf: [node, node] }] },
    ]);
    const depth = dice.between(1, 29);
    const value = times(depth, () => 0).reduce<Json>((inner) => ({ next: inner, y: [inner] }), 1);
    const small = times(depth, () => 0).reduce<Json>((inner) => ({ next: inner }), 1);
    const part = { properties: { next }, items: next, unevaluatedProperties: dice.oneIn(2) };
    return atX(node, depth > 12 ? small : value, {
      $schema: draft2020,
      definitions: { node: part },
    });
  },
  "cycle without a value": (dice) => {
    const more = {
      definitions: {
        a: { [dice.pick(lists)]: [{ $ref: "#/definitions/b" }] },
        b: dice.pick<Json>([
          { not: { $ref: "#/definitions/a" } },
          { if: { $ref: "#/definitions/a" } },
          { $ref: "#" },
        ]),
      },
    };
    return atX({ $ref: "#/definitions/a" }, 1, more);
  },
  "unique items": (dice) => {
    const part = { uniqueItems: true, items: dice.oneIn(2) ? { uniqueItems: true } : {} };
    return atX(
      dice.oneIn(2) ? part : { allOf: times(dice.between(2, 200), () => part) },
      wide(dice),
    );
  },
  nest: (dice) => atX(nest(dice, dice.between(2, 7)), wide(dice)),
  "nest for each item": (dice) => atX({ items: nest(dice, dice.between(1, 5)) }, wide(dice)),
  "long enum": (dice) => {
    const values = dice.pick([objects(4_000), times(9_000, (index) => `v${index}`), ones(9_000)]);
    return atX(
      { items: { enum: values.slice(0, dice.pick([100, 900, 4_000, 9_000])) } },
      wide(dice),
    );
  },
  const: (dice) => {
    const value = dice.pick<Json>([objects(9_000), texts(dice), fields(9_000, 1)]);
    const part = { const: value };
    return atX(
      dice.oneIn(2) ? part : { items: part },
      dice.oneIn(2) ? value : times(50, () => ones(2_000)),
    );
  },
  "names of properties": (dice) => {
    const names = record(dice.pick([10, 5_000, 15_000]), (index) => [
      `${"a".repeat(index % 40)}${index}`,
      1,
    ]);
    return atX(
      { propertyNames: { pattern: pattern(dice), maxLength: dice.between(1, 500) } },
      names,
    );
  },
  "patterns of properties": (dice) => {
    const part = Object.fromEntries(
      times(dice.between(1, 60), (): [string, Json] => [pattern(dice), leaves(dice)]),
    );
    return atX(
      { patternProperties: part, additionalProperties: false },
      fields(dice.pick([10, 15_000]), 1),
    );
  },
  "dynamic references": (dice) => {
    const to = dice.pick<Schema>([
      { $dynamicRef: "#node" },
      { $recursiveRef: "#" },
      { $ref: "https://example.org/other" },
      { $ref: "#node" },
      { $ref: "#/definitions/__proto__" },
      { $ref: "#/properties/x/enum/0" },
      { $ref: "#/%" },
      { $ref: "#".repeat(1_000) },
      { $async: true },
    ]);
    const node = { $dynamicAnchor: "node", $anchor: "node", $recursiveAnchor: true };
    return atX(to, ones(10), {
      $schema: dice.pick([draft2020, "https://json-schema.org/draft/2019-09/schema", "x"]),
      $defs: { node },
    });
  },
  "names of schemas": (dice) => {
    const ids = dice.between(2, 300);
    const parts = record(ids, (index) => [
      `d${index}`,
      {
        $id: `https://example.org/${index}`,
        $anchor: `n${index}`,
        items: { $ref: `${(index + 1) % ids}` },
      },
    ]);
    return atX(
      { $ref: dice.pick(["https://example.org/1", "#n1", "#/$defs/d1", "d1"]) },
      ones(10),
      { $schema: draft2020, $defs: parts },
    );
  },
  "unknown keywords": (dice) => {
    const deep = times(dice.between(1, 30), () => 0).reduce<Json>(
      (inner) => ({ "x-y": [inner] }),
      1,
    );
    const part = {
      format: dice.pick(["email", "uri", "regex", "date-time", "x".repeat(1_000)]),
      contentEncoding: "base64",
      contentMediaType: "application/json",
      contentSchema: { $ref: "#" },
      "x-anything": dice.pick<Json>([deep, objects(9_000), texts(dice)]),
      examples: objects(dice.between(1, 3_000)),
      default: deep,
      $comment: "x".repeat(dice.between(1, 50_000)),
    };
    return atX(part, texts(dice));
  },
  "fields that need others": (dice) => {
    const count = dice.pick([10, 200, 2_000, 9_000]);
    const names = times(count, (index) => `p${index}`);
    const keyword = dice.pick(["dependentRequired", "dependencies"]);
    const part = dice.pick<Json>([
      { [keyword]: { p0: names } },
      { [keyword]: record(count, (index) => [`p${index}`, ["q"]]) },
      { dependentSchemas: record(Math.min(count, 500), (index) => [`p${index}`, leaves(dice)]) },
    ]);
    return atX(
      dice.oneIn(2) ? part : { items: part },
      dice.oneIn(2) ? fields(15_000, 1) : times(9_000, () => ({ p0: 1 })),
      { $schema: draft2020 },
    );
  },
  "what remains": (dice) => {
    const options = times(dice.between(2, 40), (index) => ({
      properties: fields(dice.between(1, 40) + (index % 3), true),
    }));
    const part = {
      [dice.pick(lists)]: options,
      unevaluatedProperties: leaves(dice),
      unevaluatedItems: false,
    };
    return atX(
      dice.oneIn(2) ? part : { items: part },
      times(dice.pick([1, 500]), () => fields(dice.between(1, 60), 1)),
      { $schema: draft2020 },
    );
  },
  contains: (dice) =>
    atX(
      {
        allOf: times(dice.between(1, 300), () => ({
          contains: leaves(dice),
          minContains: dice.between(0, 3),
          maxContains: dice.between(0, 9_000),
        })),
      },
      wide(dice),
      { $schema: draft2020 },
    ),
  "inherited names": (dice) => {
    const part = (): Json =>
      Object.fromEntries(inherited.map((name): [string, Json] => [name, nest(dice, 1)]));
    const value = JSON.parse(`{${inherited.map((name) => `"${name}":{"a":1}`).join()}}`) as Json;
    const schema = {
      properties: part(),
      $defs: part(),
      patternProperties: part(),
      required: [...inherited],
      dependencies: part(),
      definitions: part(),
    };
    return {
      schema: { ...schema, properties: { ...(schema.properties as Schema), x: schema } },
      value: { x: value },
    };
  },
  numbers: (dice) =>
    atX(
      {
        items: {
          multipleOf: dice.pick([1e-300, 1e300, 0.1, 3]),
          minimum: -1e308,
          exclusiveMaximum: dice.pick([1e308, 5e-324, -1]),
          maxLength: 1e308,
          minItems: dice.pick([0, 1e9]),
        },
      },
      times(20_000, () => dice.pick([1e308, 5e-324, -1, 0.1, 123456789])),
    ),
  "many parts": (dice) => {
    const count = dice.pick([100, 400, 900, 1_000, 3_000]);
    const part = dice.pick<Json>([
      { properties: fields(count, { type: "string" }) },
      { properties: fields(count, true), required: times(count * 3, (index) => `p${index}`) },
      { prefixItems: times(count, () => ({ type: "string" })) },
      { oneOf: times(count, (index) => ({ const: index })) },
      { type: times(count, () => "string") },
      { properties: fields(count, { anyOf: [{ pattern: "^a" }, { type: "integer" }] }) },
    ]);
    return atX(part, dice.oneIn(2) ? fields(15_000, 1) : wide(dice), { $schema: draft2020 });
  },
  "no schema": (dice) =>
    dice.pick([
      atX(1, 1),
      atX({ type: "nothing" }, 1),
      atX({ items: [1, null, "a"], allOf: {}, properties: [], required: "x" }, ones(10)),
      atX({ pattern: "(", minLength: -1, enum: {} }, "a"),
      atX({ $ref: 1, $id: {}, $anchor: [] }, 1, {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: 7,
      }),
    ]),
};

const schemaKinds: readonly string[] = Object.keys(makers);

/** A schema of any kind: by the dice alone. */
export function hostileSchema(dice: Dice): HostileSchema {
  const kind = dice.pick(schemaKinds);
  return { kind, ...makers[kind]!(dice) };
}
