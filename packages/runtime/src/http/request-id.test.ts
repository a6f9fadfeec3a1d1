import { expect, test } from "@jest/globals";
import { nameRequest } from "./request-id.ts";

const nameOf = (sent?: string | string[]) =>
  nameRequest({ headers: sent === undefined ? {} : { "x-request-id": sent } });
const made = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each([
  ["01a1b2c3-0000-7000-8000-000000000000"],
  ["Root=1-67891233-abcdef012345678912345678"],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
  ["a"],
  ["x".repeat(128)],
])("the plain text %p is taken over", (sent) => {
  expect(nameOf(sent)).toBe(sent);
});

test.each([
  ["empty", ""],
  ["too long", "x".repeat(129)],
  ["sent twice", "one, two"],
  ["a list", ["one", "two"]],
  ["with a space", "a b"],
  ["with a line break", "a\r\nset-cookie: b"],
  ["with a NUL", "a\0"],
  ["with an escape of a terminal", "\u001b[2J"],
  ["with a C1 control character", "a\u009bb"],
  ["with half a character", "a\ud800"],
  ["not ASCII", "é"],
  ["with a quote", 'a"b'],
  ["with a tag", "<script>"],
  ["an option of a command", "--help"],
])("an id that is %s is replaced, and its header with it", (_, sent) => {
  const request = { headers: { "x-request-id": sent as string } };
  const name = nameRequest(request);
  expect(name).toMatch(made);
  expect(request.headers["x-request-id"]).toBe(name);
  expect(nameRequest(request)).toBe(name);
});

test("a request without an id gets one of its own", () => {
  expect(nameOf()).toMatch(made);
  expect(nameOf()).not.toBe(nameOf());
});
