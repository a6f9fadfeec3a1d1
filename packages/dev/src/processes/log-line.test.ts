import { expect, test } from "@jest/globals";
import { readLogLine } from "./log-line.ts";

test.each([
  ["what a handler prints", "hello", { kind: "printed", text: "hello" }],
  ["JSON that is no log", '{"a":1}', { kind: "printed", text: '{"a":1}' }],
  ["an empty line", "", { kind: "other" }],
  ["a move of a step", '{"level":30,"msg":"step completed"}', { kind: "other" }],
  [
    "an Agent that takes no more requests",
    '{"level":30,"agent":"mail","msg":"consuming stopped"}',
    { kind: "stopping" },
  ],
  [
    "a warning",
    '{"level":40,"msg":"broker connection failed","err":{"message":"refused"}}',
    { kind: "trouble", isError: false, text: "broker connection failed: refused" },
  ],
  ["an error", '{"level":50,"msg":"x"}', { kind: "trouble", isError: true, text: "x" }],
])("readLogLine knows %s", (_, line, read) => {
  expect(readLogLine(line)).toEqual(read);
});

test("readLogLine hands on the fields of the line that says ready", () => {
  const line = '{"level":30,"msg":"ready","url":"http://127.0.0.1:3000"}';
  expect(readLogLine(line)).toMatchObject({
    kind: "ready",
    fields: { url: "http://127.0.0.1:3000" },
  });
});
