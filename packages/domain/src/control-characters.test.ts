import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { terminalText } from "./control-characters.ts";

test.each([
  ["an ordinary text", "as it is: ü 🙂\n\tnext", "as it is: ü 🙂\n\tnext"],
  ["a command that sets the clipboard", "\u001b]52;c;bHM=\u0007", "\\u001b]52;c;bHM=\\u0007"],
  ["a command that hides a line", "\u001b[2K\u001b[1A", "\\u001b[2K\\u001b[1A"],
  ["a command in one character", "\u009b2K", "\\u009b2K"],
  ["a return to the start of the line", "refused\rall is well", "refused\\u000dall is well"],
  ["a deletion", "no\b\b\u007f", "no\\u0008\\u0008\\u007f"],
  ["a text that runs backwards", "\u202elive\u202c", "\\u202elive\\u202c"],
  ["an isolated direction", "\u2067a\u2069", "\\u2067a\\u2069"],
])("%s commands no terminal", (_, text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

const characterIn = (min: number, max: number) =>
  fc.integer({ min, max }).map((code) => String.fromCharCode(code));
/** Each kind of control character comes up often. */
const unit = fc.oneof(
  characterIn(0, 0xff),
  characterIn(0x2020, 0x2070),
  fc.string({ maxLength: 1 }),
);
const texts = fc.string({ unit });

test("no text keeps a control character, and all other characters stay", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const shown = terminalText(text);
      expect(shown.replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(terminalText(shown)).toBe(shown);
    }),
  );
});

test("a document of JSON means the same", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: unit }), (value) => {
      const document = JSON.stringify(value, null, 2);
      expect(JSON.parse(terminalText(document))).toEqual(JSON.parse(document));
    }),
  );
});
