import { describe, expect, test } from "@jest/globals";
import { lineOfJsonFault, textOfBytes } from "./text-of-bytes.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, mark: boolean) =>
  new Uint8Array(Buffer.from(`${mark ? "\ufeff" : ""}${text}`, "utf16le"));

describe("the bytes of a file", () => {
  test.each([
    ["nothing", "", ""],
    ["a text", '{"a":"Zoë 🙂"}', '{"a":"Zoë 🙂"}'],
    ["a text with a byte order mark", '\ufeff{"a":1}', '{"a":1}'],
    ["a text with lines of Windows", "a\r\nb\r\n", "a\r\nb\r\n"],
    ["a text with the mark within", "a\ufeffb", "a\ufeffb"],
    ["a text with a NUL", "ab\0", "ab\0"],
  ])("are read as UTF-8: %s", (_, written, text) => {
    expect(textOfBytes(utf8(written))).toEqual({ text, fault: null });
  });

  test.each([
    ["with its mark", utf16("{}", true)],
    ["without it", utf16("{}", false)],
    ["the other way round", new Uint8Array(Buffer.from("\ufeff{}", "utf16le").swap16())],
  ])("say that they are in UTF-16, %s", (_, bytes) => {
    expect(textOfBytes(bytes)).toEqual({ text: null, fault: "is in UTF-16: save it as UTF-8" });
  });

  test("say the line in which they stop being UTF-8", () => {
    const latin1 = new Uint8Array(Buffer.from("name: x\ncity: Köln\n", "latin1"));
    expect(textOfBytes(latin1).fault).toBe("is not in UTF-8 (line 2): save it as UTF-8");
  });
});

test.each([
  ['{"a": 1,\n "b": }', 2],
  ["\n\nx", 3],
  ['{\n"a": tru,\n"b": 1}', 2],
  ['{"a": 1}\n{"b": 2}', 2],
  ['[1,\n2,\n"open\nmore"]', 3],
  ['{"a": -1,\n"b": 1.5e-3,\n"c": "\\u00e4",\n"d": 01}', 4],
  ['{\n"a": [1, 2\n', 3],
])("the line is found at which %j stops being JSON", (text, line) => {
  expect(lineOfJsonFault(text)).toBe(line);
});

test("the line is found in a long text, wherever its numbers and escapes are cut", () => {
  const good = Array.from(
    { length: 400 },
    (_, at) => `  "k${at}": [-${at}.5e-1, "\\u00${10 + (at % 80)}", true, null],`,
  );
  for (const at of [1, 57, 200, 399]) {
    const lines = [...good];
    lines[at] = `  "bad": ],`;
    expect(lineOfJsonFault(`{\n${lines.join("\n")}\n}`)).toBe(at + 2);
  }
});
