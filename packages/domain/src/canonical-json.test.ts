import { expect, test } from "@jest/globals";
import { canonicalJson } from "./json-text.ts";

test("the order of keys does not change canonical JSON, at any depth", () => {
  const text = '{"a":[{"c":1,"d":null}],"b":2}';
  expect(canonicalJson({ b: 2, a: [{ d: null, c: 1 }] })).toBe(text);
  expect(canonicalJson({ a: [{ c: 1, d: null }], b: 2 })).toBe(text);
});

test("the order of a list changes canonical JSON", () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});
