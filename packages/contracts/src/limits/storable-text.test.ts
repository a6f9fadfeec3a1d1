import { expect, test } from "@jest/globals";
import { storableText } from "./storable-text.ts";

test.each([
  ["an ordinary text", "as it is: ü 🙂", "as it is: ü 🙂"],
  ["a NUL", "a\0b\0", "a\ufffdb\ufffd"],
  ["half a character", "a\ud800", "a\ufffd"],
  ["a text that is too long", "x".repeat(21), "x".repeat(20)],
  ["a cut through a character", `${"x".repeat(19)}🙂`, `${"x".repeat(19)}\ufffd`],
])("%s becomes a text that can be stored", (_, text, stored) => {
  expect(storableText(text, 20)).toBe(stored);
});
