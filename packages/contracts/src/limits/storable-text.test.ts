import { expect, test } from "@jest/globals";
import { printableText, readableText, storableText } from "./storable-text.ts";

test.each([
  ["an ordinary text", "as it is: ü 🙂", "as it is: ü 🙂"],
  ["a NUL", "a\0b\0", "a\ufffdb\ufffd"],
  ["half a character", "a\ud800", "a\ufffd"],
  ["a text that is too long", "x".repeat(21), "x".repeat(20)],
  ["a cut through a character", `${"x".repeat(19)}🙂`, `${"x".repeat(19)}\ufffd`],
])("%s becomes a text that can be stored", (_, text, stored) => {
  expect(storableText(text, 20)).toBe(stored);
});

test.each([
  ["an ordinary text", "as it is: ü 🙂\n\tnext", "as it is: ü 🙂\n\tnext"],
  ["a NUL, and half a character", "a\0\ud800", "a\ufffd\ufffd"],
  ["a command of a terminal", "\u001b[2K\r\u009b1A\u007f", "\ufffd[2K\ufffd\ufffd1A\ufffd"],
  ["a text that runs backwards", "\u202elive\u2069", "\ufffdlive\ufffd"],
  ["a text that is too long", "\u001b".repeat(31), "\ufffd".repeat(30)],
])("%s becomes a text that people can read", (_, text, readable) => {
  expect(readableText(text, 30)).toBe(readable);
});

test("a text that is to be one line has no line break and no tab", () => {
  expect(printableText("a.b\n\tc\u001b", 30)).toBe("a.b\ufffd\ufffdc\ufffd");
});
