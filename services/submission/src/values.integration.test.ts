import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { StepReply, StepRequest } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type Doors, openDoors, type Taken } from "../test/doors.ts";

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
});

const id = "00000000-0000-4000-8000-000000000001";

/**
 * What a text of JSON says: its numbers are the decimals that are written there, and the order of
 * fields is none.
 */
const meaningOf = (text: string): unknown =>
  JSON.parse(text, ((_: string, value: unknown, { source = "" }: { source?: string }) => {
    if (typeof value === "number") return { decimal: decimalOf(source) };
    return value;
  }) as never);

/** A decimal as a fraction of whole numbers, in its lowest terms of ten. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  let digits = BigInt(whole + fraction);
  if (digits === 0n) return "0";
  let power = Number(exponent) - fraction.length;
  while (digits % 10n === 0n) [digits, power] = [digits / 10n, power + 1];
  return `${sign}${digits}e${power}`;
}

/** What becomes of a value with a step that hands it to its Agent, and of what that returns. */
function throughAgent(value: Json): string {
  const request = StepRequest.decode(
    StepRequest.encode({
      taskId: id,
      step: "s",
      agent: "a",
      operation: "o",
      attempt: 1,
      token: id,
      idempotencyKey: "k",
      workMs: 1,
      completeBy: "2030-01-01T00:00:00.000Z",
      input: value,
    }),
  );
  const outcome = { kind: "completed", output: request.input } as const;
  const reply = { taskId: id, step: "s", attempt: 1, token: id, outcome };
  const read = StepReply.decode(StepReply.encode(reply)).outcome;
  return JSON.stringify(read.kind === "completed" ? read.output : undefined);
}

const python = "/usr/bin/python3";
/** The texts as a program in Python reads and writes them; as they are where there is none. */
const throughPython = (texts: readonly string[]): readonly string[] =>
  existsSync(python)
    ? execFileSync(
        python,
        ["-c", "import json,sys\nfor line in sys.stdin: print(json.dumps(json.loads(line)))"],
        { input: `${texts.join("\n")}\n`, encoding: "utf8", maxBuffer: 1e9 },
      )
        .trimEnd()
        .split("\n")
    : texts;

const number = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/) },
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$/),
  fc.double({ noDefaultInfinity: true, noNaN: true, max: 9e15, min: -9e15 }).map(String),
  fc.constantFrom("-0", "100.00", "9007199254740993", "2.5e-400", "1e400", "0.30000000000000004"),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }).map((one) => JSON.stringify(one)),
  fc.constantFrom('"\\u0000"', '"\\ud83d"', '"1e400"', '"{\\"a\\":1}"', '"é"', '""', '"e\\u0301"'),
);
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('"a"', '"b"', '"c/d~"', '"\\u0061"', '""') },
  fc.string({ unit: "binary", maxLength: 4 }).map((one) => JSON.stringify(one)),
  { weight: 1, arbitrary: fc.constant('"__proto__"') },
);

/**
 * Texts of JSON objects with all that may be kept or not: each way in is to say the same of each.
 */
const anyInput = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    number,
    text,
    fc.constantFrom("null", "true", "false", "{}", "[]"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
  object: fc
    .array(fc.tuple(name, tie("value")), { maxLength: 3 })
    .map((all) => `{${all.map(([key, value]) => `${key}:${value}`).join(",")}}`),
})).object;

const isTaken = (taken: Taken): taken is { readonly id: string } => "id" in taken;

test("whichever way a value comes in, it comes back the same, or each way refuses it at the same place", async () => {
  const kept: string[] = [];
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      const ways = Object.entries(doors.texts);
      const all = await Promise.all(
        ways.map(async ([way, send]) => [way, await send(input)] as const),
      );
      const [, first] = all[0]!;
      if (!isTaken(first)) {
        refusals += 1;
        expect(first.pointers).not.toEqual([]);
        for (const [way, taken] of all) {
          expect({ way, input, taken }).toEqual({
            way,
            input,
            taken: { pointers: expect.arrayContaining([first.pointers[0]]) },
          });
        }
        return;
      }
      kept.push(input);
      const meant = meaningOf(input);
      const value = JSON.parse(input) as Json;
      const others = Object.entries({
        sql: () => doors.sql(input),
        client: () => doors.values["client"]!(value),
        transaction: () => doors.values["transaction"]!(value),
      });
      for (const [way, send] of others) all.push([way, await send()]);
      for (const [way, taken] of all) {
        const stored = isTaken(taken) ? await doors.inputOf(taken.id) : JSON.stringify(taken);
        expect({ way, input, stored: meaningOf(stored) }).toEqual({ way, input, stored: meant });
      }
      expect(meaningOf(await doors.resultOf(first.id))).toEqual(meant);
      expect(meaningOf(throughAgent(value))).toEqual(meant);
    }),
    { numRuns: 120 },
  );
  expect(kept.length).toBeGreaterThan(10);
  expect(refusals).toBeGreaterThan(10);
  const meant = kept.map((input) => meaningOf(input));
  const given = kept.map((input) => throughAgent(JSON.parse(input) as Json));
  expect(throughPython(given).map(meaningOf)).toEqual(meant);
});

test.each([
  ["a decimal of too many digits", '{"rates":[1,0.1234567890123456789]}', "/rates/1"],
  ["a decimal before a fraction", '{"sum":90071992547409.93456}', "/sum"],
  ["a number that is too small", '{"tiny":2.5e-400}', "/tiny"],
  ["a number above all numbers", '{"a/b":-1e400}', "/a~1b"],
  ["a whole number that is too large", '{"id":3544790567247868102}', "/id"],
  ["a NUL", '{"a":{"b":"x\\u0000"}}', "/a/b"],
  ["half a character", '{"a":"\\ud83d"}', "/a"],
  ["half a character in a name", '{"a":{"\\ud83d":1}}', "/a/\ufffd"],
  ["a field of prototypes", '{"a":{"__proto__":{"b":1}}}', "/a/__proto__"],
])("%s is refused by each way in, with its place", async (_, input, pointer) => {
  const all = { ...doors.texts, command: doors.command };
  // Postgres has no such texts.
  const refuses = /\\u0000|\\ud83d/.test(input);
  for (const [way, send] of Object.entries(refuses ? all : { ...all, sql: doors.sql })) {
    expect([way, await send(input)]).toEqual([way, { pointers: [pointer] }]);
  }
  if (refuses) await expect(doors.sql(input)).rejects.toThrow();
});

test("a field that stands twice is refused by each way in that has it, and Postgres has the last", async () => {
  const input = '{"a":{"b":1,"b":2}}';
  for (const [way, send] of Object.entries({ ...doors.texts, command: doors.command })) {
    expect([way, await send(input)]).toEqual([way, { pointers: ["/a/b"] }]);
  }
  const taken = await doors.sql(input);
  expect(isTaken(taken) && (await doors.inputOf(taken.id))).toBe('{"a":{"b":2}}');
});

test.each([
  ["null", "null"],
  ["an empty object", "{}"],
  ["an empty text", '""'],
  ["a number", "1.50"],
  ["a text", '"2026-02-30"'],
  ["a list", '[null,"",[],{}]'],
])("%s alone is an input, and comes back by each way in", async (_, input) => {
  for (const send of [...Object.values(doors.texts), doors.command, doors.sql]) {
    const taken = await send(input);
    expect(isTaken(taken) && meaningOf(await doors.inputOf(taken.id))).toEqual(meaningOf(input));
  }
});

test("a text that holds JSON is a text, but for a tool, which takes it as what it holds", async () => {
  const input = JSON.stringify('{"to":"ann@example.com"}');
  const { tool, ...others } = doors.texts;
  for (const send of [...Object.values(others), doors.command, doors.sql]) {
    const taken = await send(input);
    expect(isTaken(taken) && (await doors.inputOf(taken.id))).toBe(input);
  }
  const taken = await tool!(input);
  expect(isTaken(taken) && (await doors.inputOf(taken.id))).toBe('{"to":"ann@example.com"}');
  expect(await tool!(JSON.stringify('{"rate":0.1234567890123456789}'))).toMatchObject({
    pointers: ["/rate"],
  });
});
