import { describe, expect, test } from "@jest/globals";
import { policy, problemsOf, ref, step, workflow } from "../../test/definitions.ts";
import { validateDefinition } from "./validate-definition.ts";

test("a valid definition is returned unchanged", () => {
  const definition = workflow(
    [
      step("charge", { input: { amount: ref("/input/total"), raw: { $literal: { $x: 1 } } } }),
      step("pack"),
      step("ship", {
        input: { id: ref("/steps/charge/id") },
        after: ["charge", "pack"],
        onlyIf: { and: [{ exists: ref("/steps/pack") }, { in: [ref("/input/country"), ["DE"]] }] },
        undo: { ...policy(), operation: "cancel", onFailure: "halt" },
      }),
    ],
    { output: { id: ref("/steps/ship/id") }, completeWithin: 60_000 },
  );
  expect(validateDefinition(definition)).toBe(definition);
});

describe("a problem with the form", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => step(`s${index}`));
  test.each<[string, unknown, RegExp]>([
    [
      "no limit",
      workflow([step("a", { completeWithin: undefined })]),
      /step "a": .*'completeWithin'/,
    ],
    [
      "a limit of zero",
      workflow([step("a", { completeWithin: 0 })]),
      /step "a": completeWithin must be >= 1/,
    ],
    [
      "a limit that no timer holds",
      workflow([step("a", { completeWithin: 2 ** 31 })]),
      /completeWithin must be <=/,
    ],
    [
      "a threshold of zero",
      workflow([step("a", { retry: { failures: 0, backoff: 1, max: 1 } })]),
      /retry\.failures must be >= 1/,
    ],
    [
      "a cool-down without times",
      workflow([step("a", { coolDown: { wait: 5 } })]),
      /coolDown must have required property 'times'/,
    ],
    [
      "a fault that is no code",
      workflow([step("a", { faults: [{ code: "anything" }] })]),
      /faults\.0\.code must match/,
    ],
    [
      "an undo that is to be undone after one fault",
      workflow([
        step("a", {
          undo: {
            ...policy(),
            operation: "b",
            onFailure: "halt",
            faults: [{ code: "b.gone", onFailure: "undo" }],
          },
        }),
      ]),
      /undo\.faults\.0\.onFailure/,
    ],
    [
      "an undo that is to be undone",
      workflow([step("a", { undo: { ...policy(), operation: "b", onFailure: "undo" } })]),
      /undo\.onFailure/,
    ],
    [
      "an unknown field",
      workflow([step("a", { retries: 5 })]),
      /step "a": must NOT have additional properties retries/,
    ],
    ["a reserved character", workflow([step("a:undo")]), /step "a:undo": name must match/],
    [
      "an Agent that would match other routes",
      workflow([step("a", { agent: "pay.*" })]),
      /step "a": agent must match/,
    ],
    [
      "no version",
      workflow([step("a")], { name: "fulfil-order" }),
      /^fulfil-order: name must match/,
    ],
    [
      "an unknown format",
      workflow([step("a")], { format: 5 }),
      /format must be equal to one of the allowed values/,
    ],
    ["no steps", workflow([]), /steps must NOT have fewer than 1 items/],
    ["more than 100 steps", workflow(many(101)), /steps must NOT have more than 100 items/],
    [
      "more than 64 predecessors",
      workflow([...many(65), step("z", { after: many(65).map(({ name }) => name) })]),
      /step "z": after must NOT have more than 64/,
    ],
    [
      "an unknown $ key",
      workflow([step("a", { input: { $merge: [] } })]),
      /step "a": input: unknown key \$merge/,
    ],
    [
      "a $ref beside others",
      workflow([step("a", { input: { $ref: "/input", b: 1 } })]),
      /input: \$ref must stand alone/,
    ],
    [
      "a pointer to elsewhere",
      workflow([step("a", { input: ref("/secrets/key") })]),
      /input: \$ref must be \/input/,
    ],
    [
      "a ref that is no text",
      workflow([step("a", { input: { $ref: 1 } })]),
      /input: \$ref must be/,
    ],
    [
      "a text of no parts",
      workflow([step("a", { input: { $concat: [] } })]),
      /input: \$concat takes a list of texts/,
    ],
    [
      "a text of an object",
      workflow([step("a", { input: { $concat: ["x", { a: 1 }] } })]),
      /input: \$concat takes a list of texts/,
    ],
    [
      "a text with null",
      workflow([step("a", { input: { $concat: [null] } })]),
      /input: \$concat takes a list of texts/,
    ],
    [
      "a fallback of what is no ref",
      workflow([step("a", { input: { $fallback: ["x", 1] } })]),
      /input: \$fallback takes the place of a value/,
    ],
    [
      "a fallback without the other value",
      workflow([step("a", { input: { $fallback: [ref("/input/x")] } })]),
      /input: \$fallback takes the place of a value/,
    ],
    [
      "a pointer to elsewhere in a text",
      workflow([step("a", { input: { $concat: [ref("/secrets/key")] } })]),
      /input: \$ref must be \/input/,
    ],
    [
      "an unknown condition",
      workflow([step("a", { onlyIf: { greater: [1, 2] } })]),
      /onlyIf: unknown condition greater/,
    ],
    [
      "two conditions in one",
      workflow([step("a", { onlyIf: { and: [], or: [] } })]),
      /onlyIf: a condition is one of/,
    ],
    [
      "a condition that is none",
      workflow([step("a", { onlyIf: { not: null } })]),
      /onlyIf: a condition is one of/,
    ],
    [
      "equals with one value",
      workflow([step("a", { onlyIf: { equals: [1] } })]),
      /onlyIf: equals takes two values/,
    ],
    [
      "greaterThan with a text",
      workflow([step("a", { onlyIf: { greaterThan: [1, "2"] } })]),
      /onlyIf: greaterThan takes two numbers, or places of numbers/,
    ],
    [
      "lessThan with one value",
      workflow([step("a", { onlyIf: { lessThan: [1] } })]),
      /onlyIf: lessThan takes two numbers, or places of numbers/,
    ],
    [
      "too much text",
      workflow([step("a", { input: "x".repeat(300_000) })]),
      /is 300\d+ bytes long, of at most 262144/,
    ],
    [
      "too many levels",
      workflow([step("a", { input: JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) })]),
      /is deeper than 40 levels/,
    ],
    ["a NUL", workflow([step("a", { input: "a\u0000b" })]), /has a NUL/],
    ["half a character", workflow([step("a", { input: "a\ud800" })]), /half a character/],
    ["no object", null, /^workflow: must be object/],
    ["nothing", undefined, /^workflow: is not JSON/],
    ["steps that are no objects", workflow([1, null]), /step "1": must be object/],
  ])("%s is named with its place", (_, json, expected) => {
    expect(problemsOf(json).filter((problem) => expected.test(problem))).toHaveLength(1);
  });

  test("is not found in an escaped backslash followed by u", () => {
    expect(problemsOf(workflow([step("a", { input: "\\u0000" })]))).toEqual([]);
  });
});

test("all problems of a definition are listed, whatever their kind", () => {
  const problems = problemsOf(
    workflow([
      step("a", { completeWithin: -1, input: { $foo: 1 } }),
      step("b", { input: ref("/steps/c") }),
      step("c"),
    ]),
  );
  expect(problems).toEqual([
    'fulfil-order.v1, step "a": completeWithin must be >= 1',
    'fulfil-order.v1, step "a": input: unknown key $foo',
    'fulfil-order.v1, step "b": refers to step "c", which is not before it',
  ]);
});
