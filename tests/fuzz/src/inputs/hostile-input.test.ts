import { hash } from "node:crypto";
import { AgentHeartbeat, StepCancel, StepReply, StepRequest } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { diceOf } from "./dice.ts";
import { hostileInput } from "./hostile-input.ts";
import { messageTargets } from "./hostile-message.ts";
import type { DecisionContext, HostileInput } from "./input.ts";

const around: DecisionContext = {
  userId: "guest",
  operatorToken: "local-operator",
  bait: () => "0192a000-0000-7000-8000-000000000001",
  order: () => "0192a000-0000-7000-8000-000000000002",
};

const inputs = (seed: number, count: number): readonly HostileInput[] =>
  Array.from({ length: count }, (_, index) => hostileInput(seed, index, around));

const inShort = (all: readonly HostileInput[]): readonly string[] =>
  all.map(({ body, ...rest }) => JSON.stringify({ ...rest, hash: hash("sha1", body) }));

test("the same seed makes the same inputs, and another seed makes others", () => {
  expect(inShort(inputs(7, 200))).toEqual(inShort(inputs(7, 200)));
  expect(inShort(inputs(7, 200))).not.toEqual(inShort(inputs(8, 200)));
});

test("each hostile input can be generated without the inputs before it", () => {
  const alone = hostileInput(7, 150, around);
  expect(inShort([alone])).toEqual(inShort(inputs(7, 151).slice(150)));
});

test("the fuzzer targets every queue, exchange and kind of route, with every kind of damage", () => {
  const all = inputs(1, 2_000);
  expect(new Set(all.map(({ target }) => target))).toEqual(
    new Set([
      ...messageTargets.map(({ name }) => name),
      "POST order",
      "GET list",
      "GET order",
      "POST search",
      "PUT workflow",
      "operator on order",
      "operator on agent or workflow",
      "other route",
    ]),
  );
  const changes = new Set(all.flatMap((input) => input.changes));
  for (const change of [
    "number",
    "text",
    "other type",
    "long string",
    "long array",
    "depth",
    "missing",
    "twice",
    "added key",
    "bundle",
    "gzip",
    "invalid utf-8",
    "truncated",
    "messageId",
    "headers",
    "damaged",
  ]) {
    expect(changes).toContain(change);
  }
});

test("most hostile inputs are small, and some have megabytes", () => {
  const sizes = inputs(1, 4_000)
    .map(({ body }) => body.length)
    .toSorted((one, other) => one - other);
  expect(sizes[2_000]).toBeLessThan(1_000);
  expect(sizes.at(-1)).toBeGreaterThan(1_000_000);
});

test.each([
  ["reply", StepReply],
  ["heartbeat", AgentHeartbeat],
  ["cancel", StepCancel],
  ["request", StepRequest],
] as const)("what a %s is mutated from is valid", (name, contract) => {
  const target = messageTargets.find((one) => one.name === name);
  for (let index = 0; index < 200; index += 1) {
    const valid = target?.valid(diceOf(1, index), around);
    const body = Buffer.from(JSON.stringify(valid));
    expect(contract.decode(body)).toEqual(valid);
  }
});
