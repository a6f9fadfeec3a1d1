import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { decodePercents } from "./percent-text.ts";

test.each<[string, string | null]>([
  ["", ""],
  ["a b", "a b"],
  ["a%20b+c", "a b+c"],
  ["%C3%BC%2F%25", "ü/%"],
  ["100%", null],
  ["%zz", null],
  ["%2", null],
  ["%E0%A4", null],
  ["%ff", null],
  ["%ED%A0%80", null],
])("%j is decoded as %j", (text, decoded) => {
  expect(decodePercents(text)).toBe(decoded);
});

test("each text that is encoded is decoded again, and no other one throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodePercents(encodeURIComponent(text))).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.constantFrom("%", "2", "5", "C3", "z", "/")), (parts) => {
      expect(() => decodePercents(parts.join(""))).not.toThrow();
    }),
  );
});
