import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { ref, step, workflow } from "../../test/definitions.ts";
import { definitionFaults } from "../definition/validate-definition.ts";
import { compileTaskInput } from "./check-missing.ts";
import { valueFlow } from "./value-flow.ts";

const text = { type: "string" };
const objectOf = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});
const needs = objectOf({ to: text, note: text }, ["to", "note"]);
const draft2020 = { $schema: "https://json-schema.org/draft/2020-12/schema" };

interface Sample {
  readonly inputSchema?: object;
  /** The schema of what the step before returns; undefined: it has no contract. */
  readonly returns?: object;
  readonly before?: object;
  readonly contract?: object;
  readonly input?: Json;
  readonly onlyIf?: object;
  readonly output?: Json;
}

/** A workflow of two steps: `second` takes `input`, by `contract`. */
const definitionOf = ({
  inputSchema = objectOf({ to: text, note: text }, ["to"]),
  returns,
  before,
  contract = needs,
  input = { to: ref("/input/to"), note: ref("/input/note") },
  onlyIf,
  output = null,
}: Sample) =>
  workflow(
    [
      step("first", { agent: "one", operation: "make", onlyIf: before ?? null }),
      step("second", {
        agent: "two",
        operation: "take",
        after: ["first"],
        input,
        onlyIf: onlyIf ?? null,
      }),
    ],
    {
      inputSchema,
      output,
      inputs: { "two.take": contract },
      outputs: returns === undefined ? {} : { "one.make": returns },
    },
  ) as unknown as WorkflowDefinition;

const faultsOf = (sample: Sample) => definitionFaults(definitionOf(sample));
const openOf = (sample: Sample) => valueFlow(definitionOf(sample)).open;

test("a value that may be missing where the contract requires it is refused, with both places and the remedy", () => {
  expect(faultsOf({})).toEqual([
    {
      pointer: "/steps/1/input/note",
      detail:
        "takes /input/note, which may be missing or null by /inputSchema; the contract of two.take requires it: make it required in that schema, optional in the contract, have the step's condition say that /input/note exists, or give it a fallback",
    },
  ]);
});

const optional = objectOf({ to: text, note: text }, ["to"]);

test.each<[string, Sample]>([
  ["as a field that may be left out", { contract: optional }],
  ["without a contract", { contract: {} }],
  [
    "in a list that takes null",
    {
      contract: { type: "array", items: { type: ["string", "null"] } },
      input: [ref("/input/note")],
    },
  ],
  [
    "as all that there is, where that may be null",
    {
      contract: { anyOf: [text, { type: "null" }] },
      input: ref("/input/note"),
    },
  ],
  [
    "below an object that may be missing",
    {
      inputSchema: objectOf({ address: objectOf({ city: text }, ["city"]) }),
      contract: objectOf({ city: text }),
      input: { city: ref("/input/address/city") },
    },
  ],
  [
    "in the branch of a union that does without it",
    {
      contract: {
        oneOf: [
          objectOf({ kind: { const: "card" }, note: text }, ["kind", "note"]),
          objectOf({ kind: { const: "cash" }, note: text }, ["kind"]),
        ],
      },
      input: { kind: "cash", note: ref("/input/note") },
    },
  ],
  [
    "with the whole object, where the contract takes that",
    {
      contract: optional,
      input: ref("/input"),
    },
  ],
])("a value that may be missing is accepted %s", (_, sample) => {
  expect(faultsOf(sample)).toEqual([]);
  expect(openOf(sample)).toEqual([]);
});

test("a value that may be missing is accepted by a keyword that its dialect does not know, where an earlier release stored that", () => {
  const contract = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...optional,
    dependentRequired: { to: ["note"] },
  };
  expect(valueFlow(definitionOf({ contract }))).toMatchObject({ faults: [], open: [] });
  expect(faultsOf({ contract })).toMatchObject([{ pointer: "/inputs/two.take/dependentRequired" }]);
});

test.each<[string, object]>([
  ["its condition", { exists: ref("/input/note") }],
  [
    "a part of its condition",
    { and: [{ exists: ref("/input/to") }, { exists: ref("/input/note") }] },
  ],
  ["what its condition compares it with", { equals: [ref("/input/note"), "x"] }],
  ["a number that its condition compares it with", { greaterThan: [ref("/input/note"), 1] }],
  ["a number less than which it is by its condition", { lessThan: [ref("/input/note"), 1] }],
  ["a list of its condition", { in: [ref("/input/note"), ["x", "y"]] }],
  [
    "a negation",
    { not: { or: [{ equals: [ref("/input/note"), null] }, { exists: ref("/input/to") }] } },
  ],
  [
    "each part of its condition",
    { or: [{ exists: ref("/input/note") }, { equals: ["x", ref("/input/note")] }] },
  ],
])("a value that %s shows to be there is accepted", (_, onlyIf) => {
  expect(faultsOf({ onlyIf })).toEqual([]);
});

test.each<[string, object]>([
  ["of another value", { exists: ref("/input/to") }],
  ["that holds without it", { or: [{ exists: ref("/input/note") }, { exists: ref("/input/to") }] }],
  ["that says that it is missing", { not: { exists: ref("/input/note") } }],
  ["that says that it is not greater", { not: { greaterThan: [ref("/input/note"), 1] } }],
  ["that compares it with null", { equals: [ref("/input/note"), null] }],
])("a value is refused in spite of a condition %s", (_, onlyIf) => {
  expect(faultsOf({ onlyIf })).toHaveLength(1);
});

const joined = (...parts: readonly Json[]): Json => ({ $concat: parts });
const instead = (value: Json, other: Json): Json => ({ $fallback: [value, other] });

test.each<[string, Json, number]>([
  ["a text of a value that is there", joined("to ", ref("/input/to")), 0],
  ["a text of a value that may be missing", joined("x ", ref("/input/note")), 1],
  ["a text of a value that something stands for", joined(instead(ref("/input/note"), "-")), 0],
  ["a value that something stands for", instead(ref("/input/note"), "-"), 0],
  ["a value that one stands for that is there", instead(ref("/input/note"), ref("/input/to")), 0],
  [
    "a value that one stands for that may be missing, too",
    instead(ref("/input/to"), ref("/input/note")),
    1,
  ],
  ["a value that is never there", instead(ref("/input/not"), "-"), 1],
])("the contract requires a field: %s", (_, note, faults) => {
  const sample = { input: { to: ref("/input/to"), note } };
  expect(faultsOf(sample)).toHaveLength(faults);
  expect(openOf(sample)).toEqual([]);
});

test("a text that may lack a part, and the other of two values, are asked for at the submission where all is known then", () => {
  const inputSchema = {
    type: "object",
    properties: { to: text },
    required: ["to"],
    additionalProperties: true,
  };
  const check = (note: Json) =>
    compileTaskInput(definitionOf({ inputSchema, input: { to: "x", note } }));
  const joinedIn = check(joined("x", ref("/input/note")));
  expect(joinedIn({ to: "x", note: "y" })).toEqual([]);
  const missing = [{ pointer: "/note", detail: expect.stringContaining("is missing") }];
  expect(joinedIn({ to: "x" })).toEqual(missing);
  expect(joinedIn({ to: "x", note: null })).toEqual(missing);
  const eitherIn = check(instead(ref("/input/b"), ref("/input/note")));
  expect([eitherIn({ to: "x", b: "y" }), eitherIn({ to: "x", note: "y" })]).toEqual([[], []]);
  expect(eitherIn({ to: "x" })).toEqual(missing);
});

test("a condition on a value that something stands for proves nothing of the value, and one that is equal to it does", () => {
  const standing = instead(ref("/input/note"), "none");
  expect(faultsOf({ onlyIf: { equals: [standing, "none"] } })).toHaveLength(1);
  expect(faultsOf({ onlyIf: { equals: [ref("/input/note"), standing] } })).toEqual([]);
});

describe("the output of a step with a condition", () => {
  const returns = objectOf({ id: text }, ["id"]);
  const before = { equals: [ref("/input/to"), "x"] };
  const input = { to: "x", note: ref("/steps/first/id") };

  test("is refused where null is not taken, and the step is named", () => {
    expect(faultsOf({ returns, before, input })).toMatchObject([
      { detail: expect.stringContaining('null where step "first" is skipped') },
    ]);
  });

  test.each<[string, object | undefined, object | undefined]>([
    ["the step before has none", undefined, undefined],
    ["it is the same", before, before],
    [
      "it is a part of that of the later step",
      before,
      { and: [{ exists: ref("/input/to") }, before] },
    ],
    ["the later step asks for the output", before, { exists: ref("/steps/first") }],
    ["the later step asks for a part of it", before, { equals: [ref("/steps/first/id"), "x"] }],
    ["what it asks for is known", { exists: ref("/input/to") }, { exists: ref("/input/to") }],
  ])("is accepted where %s", (_, first, onlyIf) => {
    const sample = { returns, input, ...(first && { before: first }), ...(onlyIf && { onlyIf }) };
    expect(faultsOf(sample)).toEqual([]);
  });
});

const ifTo = (schema: object): object =>
  Object.fromEntries(
    ["if", "then"].map((keyword, index) => [keyword, [{ required: ["to"] }, schema][index]]),
  );

/** Schemas by which `note` is always there, or may not be. */
const ways: readonly [string, object, boolean][] = [
  ["required", objectOf({ note: text }, ["note"]), true],
  ["optional", objectOf({ note: text }), false],
  ["nullable", objectOf({ note: { type: ["string", "null"] } }, ["note"]), false],
  [
    "nullable as in OpenAPI",
    objectOf({ note: { type: "string", nullable: true } }, ["note"]),
    false,
  ],
  ["one of some values with null", objectOf({ note: { enum: ["x", null] } }, ["note"]), false],
  ["required without a schema of its own", { type: "object", required: ["note"] }, true],
  ["an additional property", { type: "object", additionalProperties: text }, false],
  [
    "a required additional property",
    { type: "object", additionalProperties: text, required: ["note"] },
    true,
  ],
  ["a property by a pattern", { type: "object", patternProperties: { "^n": text } }, false],
  ["required by all of some", { allOf: [objectOf({ note: text }), { required: ["note"] }] }, true],
  [
    "required by each of some",
    { type: "object", anyOf: [{ required: ["note"] }, { required: ["note", "to"] }] },
    true,
  ],
  [
    "required by one of some",
    { anyOf: [objectOf({ note: text }, ["note"]), objectOf({ note: text })] },
    false,
  ],
  [
    "required in both cases",
    {
      type: "object",
      properties: { note: text },
      ...ifTo({ required: ["note"] }),
      else: { required: ["note"] },
    },
    true,
  ],
  [
    "required in one case",
    {
      type: "object",
      properties: { note: text },
      ...ifTo({ required: ["note"] }),
    },
    false,
  ],
  [
    "required by a reference",
    { $ref: "#/definitions/n", definitions: { n: objectOf({ note: text }, ["note"]) } },
    true,
  ],
  [
    "required with another field",
    { ...draft2020, ...objectOf({ to: text, note: text }), dependentRequired: { to: ["note"] } },
    false,
  ],
  [
    "of an object or a text",
    { ...objectOf({ note: text }, ["note"]), type: ["object", "string"] },
    false,
  ],
  [
    "of an object or null",
    { ...objectOf({ note: text }, ["note"]), type: ["object", "null"] },
    false,
  ],
  [
    "of an object that says which fields remain",
    { ...draft2020, type: "object", allOf: [objectOf({ to: text })], unevaluatedProperties: false },
    false,
  ],
  ["an object with a field whose schema refuses all", objectOf({ note: false }), false],
];

test.each(ways)("a field that is %s: what is returned is held to that", (_, returns, isThere) => {
  const input = { to: "x", note: ref("/steps/first/note") };
  expect(faultsOf({ returns, input })).toHaveLength(isThere ? 0 : 1);
});

const handedOn = ways.filter(([way]) => way !== "of an object or a text");
/** Ways that say that the field is there, and not that it is not null. */
const mayBeNull = ["required without a schema of its own", "required by each of some"];
test.each(handedOn)(
  "a field that is %s, of an object that is handed on as a whole",
  (way, returns, isThere) => {
    const contract = objectOf({ note: text }, ["note"]);
    const sample = { returns, input: ref("/steps/first"), contract };
    const isSure = isThere && !mayBeNull.includes(way);
    expect(faultsOf(sample).length + openOf(sample).length > 0).toBe(!isSure);
  },
);

test.each<[string, object, boolean]>([
  ["long enough", { type: "array", items: text, minItems: 2 }, true],
  ["too short", { type: "array", items: text, minItems: 1 }, false],
  ["of any length", { type: "array", items: text }, false],
  ["a tuple of draft 7", { type: "array", items: [text, text], minItems: 2 }, true],
  [
    "a tuple of 2020-12",
    { ...draft2020, type: "array", prefixItems: [text, text], minItems: 2 },
    true,
  ],
  [
    "a tuple with null",
    { ...draft2020, type: "array", prefixItems: [text, { type: "null" }], minItems: 2 },
    false,
  ],
])("an element of a list that is %s", (_, returns, isThere) => {
  const input = { to: "x", note: ref("/steps/first/1") };
  expect(faultsOf({ returns, input })).toHaveLength(isThere ? 0 : 1);
});

test("a ref to what is never there is refused in inputs of steps and in the result", () => {
  const nowhere = ref("/input/nowhere");
  expect(faultsOf({ contract: {}, input: { a: nowhere }, output: [nowhere] })).toEqual([
    {
      pointer: "/steps/1/input/a",
      detail: expect.stringContaining("/input/nowhere, which is never there by /inputSchema"),
    },
    { pointer: "/output/0", detail: expect.stringContaining("never there") },
  ]);
});

test("a schema that refers to itself is followed once", () => {
  const tree = {
    type: "object",
    properties: { note: text, next: { $ref: "#" } },
    required: ["note"],
  };
  expect(faultsOf({ returns: tree, input: ref("/steps/first"), contract: tree })).toEqual([]);
  const loose = { ...tree, required: [] };
  expect(faultsOf({ returns: loose, input: ref("/steps/first"), contract: tree })).not.toEqual([]);
});

const open2020 = { ...draft2020, type: "object" };

/**
 * The note is null in one of two tasks of which the other one is taken: that is asked at the
 * submission.
 */
test.each<[string, object, Json, Json]>([
  ["the contract has no such field", { ...objectOf({}), additionalProperties: false }, null, {}],
  ["the contract leaves it out", { ...open2020, unevaluatedProperties: false }, null, {}],
  ["another field belongs to it", { ...open2020, dependentRequired: { note: ["to"] } }, null, {}],
  [
    "a schema belongs to it",
    { ...open2020, dependentSchemas: { note: { required: ["to"] } } },
    null,
    {},
  ],
  ["its name is refused", { ...objectOf({}), propertyNames: { maxLength: 1 } }, null, {}],
  ["there is no room for it", { ...objectOf({}), maxProperties: 0 }, null, {}],
  ["it is what another alternative lacks", { not: { required: ["note"] } }, null, {}],
  ["the contract names its type", objectOf({ note: text }), { note: null }, { note: "x" }],
])("a null that no schema speaks of is no value where %s", (_, contract, refused, taken) => {
  const sample = { inputSchema: {}, contract, input: { note: ref("/input/note") } };
  expect(faultsOf(sample)).toEqual([]);
  const check = compileTaskInput(definitionOf(sample));
  expect([check(refused).length > 0, check(taken)]).toEqual([true, []]);
});

test("a null in a field that the contract knows by a pattern of its name is asked for at the submission", () => {
  const patternProperties = { "^n": text };
  const input = ref("/input");
  for (const inputSchema of [{}, { type: "object", patternProperties: { e$: {} } }]) {
    const sample = { inputSchema, contract: { type: "object", patternProperties }, input };
    const check = compileTaskInput(definitionOf(sample));
    expect([check({ note: null }).length, check({ note: "x" })]).toEqual([1, []]);
  }
  const additional = { type: "object", additionalProperties: text };
  const nullable = { type: "object", patternProperties: { "^n": { type: ["string", "null"] } } };
  const sample = { inputSchema: nullable, contract: additional, input };
  expect(compileTaskInput(definitionOf(sample))({ note: null })).toHaveLength(1);
});

test("a null among values that the step does not take alone shows when the step is to run", () => {
  const contract = objectOf({ all: { type: "object", additionalProperties: text }, to: {} });
  const input = { all: ref("/input"), to: ref("/steps/first") };
  const inputSchema = { type: "object", additionalProperties: { type: ["string", "null"] } };
  expect(faultsOf({ inputSchema, contract, input })).toHaveLength(1);
  expect(openOf({ inputSchema: { type: "object" }, contract, input })).toMatchObject([
    { shows: "run", value: "/input/*", missing: "null" },
  ]);
});

describe("where no schema says whether a value is there", () => {
  test("one of the input is asked for when a task is submitted", () => {
    const sample = { inputSchema: { type: "object" } };
    expect(faultsOf(sample)).toEqual([]);
    const check = compileTaskInput(definitionOf(sample));
    expect(check({ to: "x", note: "y" })).toEqual([]);
    expect(check({ to: "x" })).toEqual([
      { pointer: "/note", detail: 'is missing: step "second" needs it for two.take' },
    ]);
    expect(check({ to: "x", note: 5 })).toEqual([
      { pointer: "/note", detail: 'must be string: step "second" needs it for two.take' },
    ]);
  });

  test("one of the input beside one of an output is asked for, too", () => {
    const input = { to: ref("/steps/first"), note: ref("/input/note") };
    const check = compileTaskInput(definitionOf({ inputSchema: { type: "object" }, input }));
    expect([check({}), check({ note: "x" })]).toMatchObject([[{ pointer: "/note" }], []]);
  });

  test("one of the input is not asked for where the step is skipped", () => {
    const onlyIf = { equals: [ref("/input/kind"), "letter"] };
    const check = compileTaskInput(definitionOf({ inputSchema: { type: "object" }, onlyIf }));
    expect(check({ kind: "parcel" })).toEqual([]);
    expect(check({ kind: "letter" })).toHaveLength(1);
  });

  test("one of an output shows when the step is to run, which is said", () => {
    const sample = { input: { to: "x", note: ref("/steps/first/note") } };
    expect(faultsOf(sample)).toEqual([]);
    expect(openOf(sample)).toMatchObject([
      { step: "second", shows: "run", pointer: "/steps/1/input/note", value: "/steps/first/note" },
      { missing: "null" },
    ]);
  });

  test("one of the input that a condition on an output decides about shows when the step is to run", () => {
    const onlyIf = { exists: ref("/steps/first/id") };
    const shown = openOf({ inputSchema: { type: "object" }, onlyIf }).map(({ shows }) => shows);
    expect(new Set(shown)).toEqual(new Set(["run"]));
  });
});
