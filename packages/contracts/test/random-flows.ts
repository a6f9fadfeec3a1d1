import type { Json } from "@holdfast/domain";
import * as fc from "fast-check";
import type { JsonSchema } from "../src/schema/schema-keywords.ts";
import { step, workflow } from "./definitions.ts";

/** JSON Schemas for tests in which values of the pool may be missing in every way that there is. */
const keys = ["a", "b"] as const;
const anyKey = fc.constantFrom(...keys);
const someKeys = fc.subarray([...keys]);

const leaf = fc.constantFrom<Json>(
  { type: "string" },
  { type: "string" },
  { type: ["string", "null"] },
  { type: "string", nullable: true },
  { enum: ["x", null] },
  { const: "x" },
  { type: ["number", "string"] },
  {},
  true,
);

const isRecord = (schema: Json): schema is JsonSchema =>
  typeof schema === "object" && schema !== null;

/** A schema of a few of the keywords, the first one always among them. */
const someOf = (keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Json> => {
  const [first, ...others] = Object.keys(keywords);
  return fc
    .subarray(others, { maxLength: 3 })
    .chain((some) =>
      fc.record(Object.fromEntries([first!, ...some].map((name) => [name, keywords[name]!]))),
    )
    .map((schema) => schema as Json);
};

const objectOf = (inner: fc.Arbitrary<Json>): fc.Arbitrary<Json> => {
  const properties = fc.dictionary(anyKey, inner, { maxKeys: 2 });
  return someOf({
    properties,
    type: fc.constantFrom("object", "object", ["object", "null"], ["object", "string"]),
    required: someKeys,
    additionalProperties: fc.oneof(fc.constantFrom<Json>(false, true), inner),
    patternProperties: fc.dictionary(fc.constantFrom("^a", "b$"), inner, { maxKeys: 1 }),
    minProperties: fc.constantFrom(1, 2),
    maxProperties: fc.constantFrom(1, 2),
    dependentRequired: fc.dictionary(anyKey, someKeys, { maxKeys: 1 }),
    dependentSchemas: fc.dictionary(anyKey, inner, { maxKeys: 1 }),
    dependencies: fc.dictionary(anyKey, fc.oneof(someKeys, inner), { maxKeys: 1 }),
  });
};

const listOf = (inner: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  someOf({
    type: fc.constantFrom("array", ["array", "null"]),
    items: fc.oneof(inner, fc.array(inner, { minLength: 1, maxLength: 2 })),
    prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
    additionalItems: inner,
    minItems: fc.constantFrom(1, 2),
    uniqueItems: fc.boolean(),
    contains: inner,
  });

const ifThen = (parts: readonly [Json, Json]): object =>
  Object.fromEntries(["if", "then"].map((keyword, index) => [keyword, parts[index]]));

const composed = (inner: fc.Arbitrary<Json>): fc.Arbitrary<Json> => {
  const some = fc.array(inner, { minLength: 1, maxLength: 2 });
  const parts = fc.oneof(
    ...["allOf", "anyOf", "oneOf"].map((keyword) => some.map((all) => ({ [keyword]: all }))),
    inner.map((not) => ({ not })),
    fc.tuple(inner, inner).map(ifThen),
    fc.tuple(inner, inner).map(([condition, other]) => ({ if: condition, else: other })),
  );
  return fc
    .tuple(inner, parts)
    .map(([schema, more]) => ({ ...(isRecord(schema) ? schema : {}), ...more }));
};

const { anySchema } = fc.letrec<{ anySchema: Json }>((tie) => ({
  anySchema: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    leaf,
    objectOf(tie("anySchema")),
    objectOf(tie("anySchema")),
    listOf(tie("anySchema")),
    composed(tie("anySchema")),
    fc.constant<Json>({ $ref: "#/$defs/shared" }),
  ),
}));

/** A schema of either dialect. What another dialect knows means nothing in it. */
const rooted: fc.Arbitrary<JsonSchema> = fc
  .record({
    root: fc.oneof(objectOf(anySchema), composed(objectOf(anySchema))),
    shared: objectOf(leaf),
    is2020: fc.boolean(),
  })
  .map(({ root, shared, is2020 }) => ({
    ...(is2020 ? { $schema: "https://json-schema.org/draft/2020-12/schema" } : {}),
    ...(inDialect(root, is2020) as JsonSchema),
    $defs: { shared: inDialect(shared, is2020) },
  })) as fc.Arbitrary<JsonSchema>;

/** The schema without what the other dialect has: in 2020-12 `items` is no list. */
const inDialect = (schema: Json, is2020: boolean): Json => {
  if (Array.isArray(schema)) return schema.map((part: Json) => inDialect(part, is2020));
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (is2020 && key === "dependencies") return [];
    const part = is2020 && key === "items" && Array.isArray(value) ? (value[0] as Json) : value;
    return [[key, inDialect(part, is2020)]];
  });
  return Object.fromEntries(entries);
};

const keywordsOfMaps = ["properties", "patternProperties", "dependentSchemas", "$defs"];
const keywordsOfNoSchema = ["type", "const", "enum", "required", "dependentRequired", "$ref"];
const all = ["object", "array", "string", "number", "boolean"];

/** The same schema with a type wherever it has none: null is then a value only where it says so. */
const withTypes = (schema: Json): Json => {
  if (schema === true) return { type: all };
  if (Array.isArray(schema)) return schema.map(withTypes);
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (keywordsOfNoSchema.includes(key)) return [key, value];
    if (!keywordsOfMaps.includes(key)) return [key, withTypes(value)];
    const parts = Object.entries(value as JsonSchema).map(([name, part]) => [
      name,
      withTypes(part),
    ]);
    return [key, Object.fromEntries(parts) as Json];
  });
  const says = ["type", "const", "enum"].some((keyword) => keyword in schema);
  return { ...(says ? {} : { type: all }), ...Object.fromEntries(entries) };
};

const path = fc
  .array(fc.constantFrom("a", "a", "b", "0", "1"), { maxLength: 2 })
  .map((parts) => parts.map((part) => `/${part}`).join(""));
const pointer = fc
  .tuple(fc.constantFrom("/input", "/input", "/steps/first"), path)
  .map((parts) => parts.join(""));
const ref = pointer.map(($ref): Json => ({ $ref }));
const part = fc.oneof(ref, fc.constant<Json>("x"));
const concat = fc.array(part, { minLength: 1, maxLength: 2 }).map(($concat): Json => ({ $concat }));
const fallback = fc
  .tuple(fc.oneof(ref, ref, concat), fc.oneof(ref, ref, concat, fc.dictionary(anyKey, ref)))
  .map(($fallback): Json => ({ $fallback }));
const hole = fc.oneof(ref, ref, concat, fallback);
const template: fc.Arbitrary<Json> = fc.oneof(
  hole,
  fc.dictionary(
    anyKey,
    fc.oneof(
      hole,
      hole,
      fc.constantFrom<Json>("x", null, {}, ["x"]),
      fc.array(hole, { maxLength: 2 }),
      fc.dictionary(anyKey, hole),
    ),
    { maxKeys: 2 },
  ),
);
const { condition } = fc.letrec<{ condition: Json }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", maxDepth: 2 },
    hole.map((exists) => ({ exists })),
    fc.tuple(hole, fc.constantFrom<Json>("x", null)).map((equals) => ({ equals })),
    fc.tuple(hole, fc.constantFrom<Json>(["x"], ["x", null], [])).map((pair) => ({ in: pair })),
    fc.tuple(ref, fc.oneof(ref, fallback, fc.constant(0))).map((greaterThan) => ({ greaterThan })),
    fc.tuple(ref, fc.oneof(ref, fc.constant(2))).map((lessThan) => ({ lessThan })),
    tie("condition").map((not) => ({ not })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 2 }).map((and) => ({ and })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 2 }).map((or) => ({ or })),
  ),
}));
const ofInput = condition.filter((one) => !JSON.stringify(one).includes("/steps/"));
const perhaps = (one: fc.Arbitrary<Json>) =>
  fc.oneof(fc.constant<Json>(null), fc.constant<Json>(null), one);

/** A definition of two steps: `second` takes what was submitted, and what `first` returned. */
export const randomDefinition = fc
  .record({
    inputSchema: rooted,
    output: fc.option(rooted),
    contract: rooted,
    input: template,
    result: template,
    before: perhaps(ofInput),
    onlyIf: perhaps(condition),
    isTyped: fc.boolean(),
  })
  .map(({ inputSchema, output, contract, input, result, before, onlyIf, isTyped }) =>
    workflow(
      [
        step("first", { agent: "one", operation: "make", onlyIf: before }),
        step("second", { agent: "two", operation: "take", after: ["first"], input, onlyIf }),
      ],
      {
        inputSchema: isTyped ? withTypes(inputSchema) : inputSchema,
        output: result,
        inputs: { "two.take": contract },
        outputs: output === null ? {} : { "one.make": isTyped ? withTypes(output) : output },
      },
    ),
  );

type Definition = ReturnType<typeof workflow>;

/** Makes the first step of a definition wait for a signal that carries what it returned. */
export function signalled(definition: Definition, onDeadline: "continue" | "fail"): Definition {
  const signal = { kind: "signal", signal: "sent", within: 1, onDeadline, onFailure: "undo" };
  return waiting(definition, {
    first: signal,
    returned: "payload",
    schemas: "signals",
    as: "sent",
  });
}

/** Makes people decide the first step of a definition, who fill in what it returned. */
export function approved(definition: Definition, onDeadline: "approve" | "fail"): Definition {
  const decided = {
    kind: "approval",
    audience: "board",
    quorum: 1,
    excludesSubmitter: false,
    excludes: [],
    within: 1,
    remindAfter: null,
    onDeadline,
    show: {},
    onFailure: "undo",
  };
  return waiting(definition, { first: decided, returned: "form", schemas: "forms", as: "first" });
}

interface Waiting {
  readonly first: object;
  /** The field of what it returns that is what the call returned. */
  readonly returned: string;
  /** The field of the definition that has the schema of that, and its name there. */
  readonly schemas: string;
  readonly as: string;
}

/** Makes the first step of a definition one that waits for what it returned. */
function waiting(definition: Definition, { first, returned, schemas, as }: Waiting): Definition {
  const text = JSON.stringify(definition).replaceAll('"/steps/first', `"/steps/first/${returned}`);
  const { steps, outputs, ...rest } = JSON.parse(text) as {
    readonly steps: readonly { readonly name: string; readonly onlyIf: Json }[];
    readonly outputs: Readonly<Record<string, Json>>;
  } & Definition;
  const [{ name, onlyIf } = { name: "first", onlyIf: null }, ...others] = steps;
  return {
    ...rest,
    format: 4,
    steps: [{ name, after: [], onlyIf, ...first }, ...others],
    [schemas]: { [as]: outputs["one.make"] ?? {} },
  };
}

const inner: readonly (Json | undefined)[] = [undefined, "x", null, { a: "x" }, {}, ["x"]];
/** Small values, with fields and elements that are there, null, or not there. */
export const pool: readonly Json[] = [
  ...inner.flatMap((a) =>
    inner.map((b) => ({ ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) })),
  ),
  { a: { a: { a: "x" }, b: "x" } },
  { a: 1, b: 3 },
  { a: 3 },
  { b: -1 },
  "x",
  null,
  [],
  ["x"],
  ["x", null],
  [{ a: "x" }, {}],
];

/** Whether one value is the other one with more in it: what was missing, or null, has a value. */
export function hasMore(one: Json, other: Json): boolean {
  if (other === null) return true;
  if (typeof other !== "object") return one === other;
  if (typeof one !== "object" || one === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (Array.isArray(one) && Array.isArray(other) && one.length !== other.length) return false;
  return Object.entries(other as JsonSchema).every(
    ([key, value]) => Object.hasOwn(one, key) && hasMore((one as JsonSchema)[key]!, value),
  );
}
