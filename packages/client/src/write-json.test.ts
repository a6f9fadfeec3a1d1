import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { holdfastClient } from "./holdfast-client.ts";
import { ValueError, writeJson } from "./write-json.ts";

test("whatever is JSON is written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(writeJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

test.each<[string, unknown, string, string]>([
  ["a bigint", { lines: [{ n: 10n }] }, "/lines/0/n", "the bigint 10n"],
  ["NaN", { a: Number.NaN }, "/a", "NaN"],
  ["infinity", [Number.POSITIVE_INFINITY], "/0", "Infinity"],
  ["a function", { "a/b": () => 1 }, "/a~1b", "a function"],
  ["a symbol", { a: Symbol("x") }, "/a", "a symbol"],
  ["a Map", { a: new Map([["b", 1]]) }, "/a", "a Map"],
  ["a Set", new Set([1]), "", "a Set"],
  ["bytes", { a: new Uint8Array(2) }, "/a", "a Uint8Array"],
  ["an invalid date", { at: new Date(Number.NaN) }, "/at", "an invalid date"],
])(
  "%s is refused with its place: JSON would say something else, or nothing",
  (_, value, pointer, words) => {
    expect(() => writeJson(value)).toThrow(ValueError);
    expect(() => writeJson(value)).toThrow(expect.objectContaining({ pointer }));
    expect(() => writeJson(value)).toThrow(words);
  },
);

test("a value within itself is refused with its place", () => {
  const value: { next?: { next?: unknown } } = { next: {} };
  value.next!.next = value;
  expect(() => writeJson(value)).toThrow("/next/next is within itself");
});

test("what is undefined is left out of an object and null in a list, and a date is a text", () => {
  const at = new Date(0);
  expect(writeJson({ a: undefined, b: [undefined], at })).toBe(
    '{"b":[null],"at":"1970-01-01T00:00:00.000Z"}',
  );
  expect(writeJson(undefined)).toBeUndefined();
});

test.each<[string, unknown, object, string]>([
  ["a bigint in its input", { n: 10n }, {}, "/input/n is the bigint 10n"],
  ["a character in a header that no header has", {}, { idempotencyKey: "Łódź" }, "ByteString"],
])("a submission with %s fails at once, and nothing is sent", async (_, input, how, words) => {
  let sent = 0;
  const client = holdfastClient({
    url: "http://127.0.0.1:1",
    fetch: async () => {
      sent += 1;
      throw new Error("sent");
    },
  });
  await expect(client.submit("welcome", input, how)).rejects.toThrow(words);
  expect(sent).toBe(0);
});
