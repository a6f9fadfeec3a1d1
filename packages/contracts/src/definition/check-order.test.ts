import { describe, expect, test } from "@jest/globals";
import { problemsOf, ref, step, workflow } from "../../test/definitions.ts";

describe("a problem with the order", () => {
  test.each<[string, unknown, readonly string[]]>([
    [
      "a ref to a step that is not before it",
      workflow([step("ship", { input: ref("/steps/charge") }), step("charge")]),
      ['fulfil-order.v1, step "ship": refers to step "charge", which is not before it'],
    ],
    [
      "a ref to itself",
      workflow([step("ship", { input: [ref("/steps/ship/id")] })]),
      ['fulfil-order.v1, step "ship": refers to step "ship", which is not before it'],
    ],
    [
      "a condition on a step that does not exist",
      workflow([step("ship", { onlyIf: { not: { exists: ref("/steps/charge") } } })]),
      ['fulfil-order.v1, step "ship": refers to step "charge", which does not exist'],
    ],
    [
      "an output that refers to nothing",
      workflow([step("ship")], { output: ref("/steps/charge") }),
      ['fulfil-order.v1: output refers to step "charge", which does not exist'],
    ],
    [
      "two steps of one name",
      workflow([step("ship"), step("ship")]),
      [
        'fulfil-order.v1, step "ship": another step has the same name: give each step a name of its own',
      ],
    ],
    [
      "a predecessor that does not exist",
      workflow([step("ship", { after: ["charge"] })]),
      ['fulfil-order.v1, step "ship": comes after step "charge", which does not exist'],
    ],
    [
      "a cycle",
      workflow([
        step("a", { after: ["b"] }),
        step("b", { after: ["a"] }),
        step("c", { after: ["a"] }),
      ]),
      [
        'fulfil-order.v1, step "a": comes after itself, directly or through others',
        'fulfil-order.v1, step "b": comes after itself, directly or through others',
      ],
    ],
  ])("%s is named with its place", (_, json, expected) => {
    expect(problemsOf(json)).toEqual(expected);
  });
});
