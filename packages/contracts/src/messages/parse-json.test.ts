import { expect, test } from "@jest/globals";
import { parseJson } from "./parse-json.ts";

test("parseJson reads UTF-8, with or without a byte order mark", () => {
  expect(parseJson(Buffer.from('"Zürich 🧀"'))).toBe("Zürich 🧀");
  expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
});

test.each([
  ["Latin-1", Buffer.from('"Zürich"', "latin1")],
  ["UTF-16", Buffer.from('"Zürich"', "utf16le")],
  ["a character that ends too soon", Buffer.from('"🧀"').subarray(0, 3)],
  ["no JSON", Buffer.from("{")],
  ["nothing", Buffer.alloc(0)],
])("parseJson refuses %s", (_, content) => {
  expect(() => parseJson(content)).toThrow(SyntaxError);
});
