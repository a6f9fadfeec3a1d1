import { expect, test } from "@jest/globals";
import { z } from "zod";
import { exactLines, readSent } from "./exact-json.ts";
import { meantBy } from "./tool-input.ts";

const read = (type: string | undefined, schema: z.ZodType, given: unknown) => {
  const { success, data, error } = meantBy(type, schema).safeParse(given);
  return success ? data : error.issues.map(({ message }) => message);
};

test.each<[string, string | undefined, z.ZodType, unknown, unknown]>([
  ["a number in a text", "integer", z.int(), "5", 5],
  ["a whole number above the largest safe integer", "integer", z.int(), 1e300, 2 ** 53 - 1],
  ["such a number in a text", "integer", z.int(), "1e300", 2 ** 53 - 1],
  ["a decimal in a text", "number", z.number(), "1.5", 1.5],
  ["true in a text", "boolean", z.boolean(), "true", true],
  ["an object in a text", "object", z.record(z.string(), z.string()), '{"a":"b"}', { a: "b" }],
  ["an object where any JSON is", undefined, z.unknown(), '{"a":1}', { a: 1 }],
  ["a list where any JSON is", undefined, z.unknown(), " [1]", [1]],
  ["a text where any JSON is", undefined, z.unknown(), "5", "5"],
  ["a word where any JSON is", undefined, z.unknown(), "urgent", "urgent"],
  ["a text where a text is", "string", z.string(), '{"a":1}', '{"a":1}'],
  ["a number as it is", "integer", z.int(), 5, 5],
  ["null", undefined, z.unknown(), null, null],
])("an argument is read as it is meant: %s", (_, type, schema, given, meant) => {
  expect(read(type, schema, given)).toEqual(meant);
});

test("an argument in a text that would be changed is refused with its place", () => {
  expect(read(undefined, z.unknown(), '{"a":[0.1234567890123456789]}')).toEqual([
    "/a/0 has a number of more digits than are kept: write it as a text",
  ]);
});

test("an argument has the schema of what is asked for in the list of tools", () => {
  const schema = z.object({ limit: meantBy("integer", z.int().min(1).default(10)) });
  expect(z.toJSONSchema(schema, { io: "input" })).toMatchObject({
    properties: { limit: { type: "integer", minimum: 1 } },
  });
});

const call = (args: string, id: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"submit_task","arguments":${args}}}`;

test("a call whose JSON would be changed is answered with the place, as an error that a model reads", () => {
  const sent = readSent(call('{"input":{"a":1,"a":2}}', '"x"'));
  expect(JSON.parse("refusal" in sent ? sent.refusal : "")).toMatchObject({
    id: "x",
    result: {
      isError: true,
      content: [{ text: expect.stringContaining("/input/a has two values") }],
    },
  });
  expect(readSent(call("{}", "1"))).toHaveProperty("json");
  expect(() => readSent("{")).toThrow(SyntaxError);
});

test("lines are passed on in their order, whichever pieces they come in, and what is refused is answered", async () => {
  const lines = [
    call('{"limit":5}', "1"),
    call('{"limit":1e400}', "2"),
    "no JSON",
    call('{"a":"ü"}', "3"),
  ];
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  }
  const answers: string[] = [];
  const passed: string[] = [];
  for await (const line of exactLines(pieces(), (one) => void answers.push(one))) passed.push(line);
  expect(passed).toEqual([lines[0], lines[2], lines[3]].map((line) => `${line}\n`));
  expect(answers.map((one) => (JSON.parse(one) as { id: number }).id)).toEqual([2]);
});
