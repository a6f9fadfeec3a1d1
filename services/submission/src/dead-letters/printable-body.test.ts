import { expect, test } from "@jest/globals";
import { printableBody } from "./printable-body.ts";

const whole = { isCut: false };

test.each([
  "",
  '{"guest":"Ada"}',
  "<script>alert(1)</script>\r\n\t${x} ' or 1=1 --",
  "naïve 日本 🏨",
])("%j is shown as it is", (text) => {
  expect(printableBody(Buffer.from(text), whole)).toBe(text);
});

test.each([
  ["a control sequence of a terminal", Buffer.from("\u001b[2J")],
  ["NUL", Buffer.from("a\0b")],
  ["bytes that are no UTF-8", Buffer.from([0xff, 0xfe])],
  ["half a character", Buffer.from([0xe6, 0x97])],
  ["DEL", Buffer.from("\u007f")],
])("a body with %s is no text", (_, body) => {
  expect(printableBody(body, whole)).toBeNull();
});

test("a body that was cut within a character is shown up to there", () => {
  const body = Buffer.from("日本🏨");
  for (const rest of [1, 2, 3]) {
    expect(printableBody(body.subarray(0, -rest), { isCut: true })).toBe("日本");
  }
  expect(printableBody(Buffer.from([0xff, 0xff, 0xff, 0xff]), { isCut: true })).toBeNull();
});
