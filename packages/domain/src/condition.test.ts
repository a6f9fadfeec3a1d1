import { expect, test } from "@jest/globals";
import { evaluateCondition, refsOfCondition } from "./condition.ts";
import { lookupIn } from "./template.ts";
import type { Condition } from "./workflow-definition.ts";

const lookup = lookupIn({
  input: { country: "DE", total: 42, gift: { from: "Ada", to: "Bob" }, note: null },
  outputs: new Map(),
});
const country = { $ref: "/input/country" };
const total = { $ref: "/input/total" };
const yes: Condition = { equals: [country, "DE"] };
const no: Condition = { equals: [country, "FR"] };

test.each<[string, Condition, boolean]>([
  ["equal strings", yes, true],
  ["different strings", no, false],
  [
    "equal objects in another order",
    { equals: [{ $ref: "/input/gift" }, { to: "Bob", from: "Ada" }] },
    true,
  ],
  ["objects of which one has more", { equals: [{ $ref: "/input/gift" }, { to: "Bob" }] }, false],
  ["a list and an object", { equals: [[], {}] }, false],
  [
    "lists in another order",
    {
      equals: [
        [1, 2],
        [2, 1],
      ],
    },
    false,
  ],
  ["a number and its text", { equals: [1, "1"] }, false],
  ["one of several", { in: [country, ["FR", "DE"]] }, true],
  ["none of several", { in: [country, ["FR", { $ref: "/input/gift/to" }]] }, false],
  ["one of none", { in: [country, []] }, false],
  ["a number that is greater", { greaterThan: [total, 41.5] }, true],
  ["a number that is equal, and greater than none", { greaterThan: [total, 42] }, false],
  ["a number that is less", { lessThan: [-1, total] }, true],
  ["a number that is equal, and less than none", { lessThan: [42, total] }, false],
  ["a missing value, which is less than no number", { lessThan: [{ $ref: "/input/a" }, 1] }, false],
  ["null, which is greater than no number", { greaterThan: [{ $ref: "/input/note" }, -1] }, false],
  ["texts, of which none is greater", { greaterThan: ["b", "a"] }, false],
  ["a number beside its text", { lessThan: ["1", 2] }, false],
  ["something that is there", { exists: country }, true],
  ["something that is null", { exists: { $ref: "/input/note" } }, false],
  ["something that is missing", { exists: { $ref: "/input/coupon" } }, false],
  ["a missing value and a string", { equals: [{ $ref: "/input/coupon" }, "X"] }, false],
  ["a missing value and null", { equals: [{ $ref: "/input/coupon" }, null] }, true],
  [
    "an object without a field and one in which the field is missing",
    {
      equals: [{ from: { $ref: "/input/gift/from" }, by: { $ref: "/input/by" } }, { from: "Ada" }],
    },
    true,
  ],
  ["not false", { not: no }, true],
  ["all of them, when one is not", { and: [yes, no] }, false],
  ["all of none", { and: [] }, true],
  ["any of them, when one is", { or: [no, yes] }, true],
  ["any of none", { or: [] }, false],
])("%s", (_, condition, expected) => {
  expect(evaluateCondition(condition, lookup)).toBe(expected);
});

test("a condition names the pointers that must be known before it can be evaluated", () => {
  const condition: Condition = {
    or: [
      { not: { exists: { $ref: "/steps/a/b" } } },
      { in: [country, [country, "DE"]] },
      { and: [yes] },
    ],
  };
  expect(refsOfCondition(condition)).toEqual(["/steps/a/b", "/input/country"]);
});
