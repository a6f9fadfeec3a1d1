import { expect, test } from "@jest/globals";
import { payloadFaults, payloadFaultsAt, payloadWords } from "./payload-faults.ts";

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

test.each([
  ["an ordinary payload", { a: [1, "ü", null, { b: 1.5 }] }],
  ["a backslash before what looks like an escape", { a: "\\u0000" }],
  ["the deepest allowed", nested(32)],
  ["the largest exact integer", Number.MAX_SAFE_INTEGER],
])("payloadFaults accepts %s", (_, payload) => {
  expect(payloadFaults(payload)).toEqual([]);
});

test.each([
  ["a NUL", { a: "x\u0000" }, "NUL"],
  ["half a character", { "\ud800": 1 }, "half a character"],
  ["a number that JSON.parse has changed", JSON.parse("[9007199254740993]"), "too large"],
  ["a number beyond all numbers", JSON.parse("1e400"), "too large"],
  ["too many levels", nested(33), "deeper than 32"],
  ["so many levels that nothing can walk them all", nested(5_000), "deeper than 32"],
  ["too many bytes", "x".repeat(300_000), "bytes long"],
])("payloadFaults finds %s", (_, payload, fault) => {
  expect(payloadFaults(payload).join()).toContain(fault);
});

test.each<[string, unknown, string]>([
  ["a NUL", { a: ["x", "x\u0000"] }, "/a/1"],
  ["half a character in a name", { b: { "\ud800": 1 } }, "/b/\ud800"],
  ["a number that is too large", { "a/b": [{ c: 2 ** 60 }] }, "/a~1b/0/c"],
  [
    "a field that programs take for a prototype",
    JSON.parse('{"a":{"__proto__":1}}'),
    "/a/__proto__",
  ],
  ["a value of a program", { a: [1, 2n] }, "/a/1"],
  ["what a date is written as", { at: { toJSON: () => "\u0000" } }, "/at"],
])("payloadFaultsAt says where %s stands", (_, payload, pointer) => {
  expect(payloadFaultsAt(payload)).toMatchObject([{ pointer }]);
});

test("the words about a payload have the places that are known", () => {
  expect(payloadWords(payloadFaultsAt({ a: "\u0000", b: 1e300 }))).toBe(
    "has a NUL or half a character in a text (/a) and has a number too large to be exact: write it as a text (/b)",
  );
});
