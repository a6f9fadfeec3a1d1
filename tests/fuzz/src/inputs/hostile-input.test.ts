import { hash } from "node:crypto";
import {
  AgentHeartbeat,
  StepCancel,
  StepProgress,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { diceOf } from "./dice.ts";
import { hostileInput, type InputClassName, inputClassNames } from "./hostile-input.ts";
import { messageTargets, messageTo } from "./hostile-message.ts";
import type { DecisionContext, HostileInput } from "./input.ts";
import { inputClasses } from "./input-classes.ts";
import { largeShapes } from "./large-values.ts";

const around: DecisionContext = {
  userId: "guest",
  operatorToken: "local-operator",
  bait: () => "0192a000-0000-7000-8000-000000000001",
  order: () => "0192a000-0000-7000-8000-000000000002",
};

const inputs = (
  seed: number,
  count: number,
  classes: readonly InputClassName[] = inputClassNames,
): readonly HostileInput[] =>
  Array.from({ length: count }, (_, index) => hostileInput(seed, index, { ...around, classes }));

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
  const all = inputs(1, 2_500);
  expect(new Set(all.map(({ target }) => target))).toEqual(
    new Set([
      ...messageTargets.map(({ name }) => name),
      "POST order",
      "GET list",
      "GET order",
      "POST search",
      "PUT workflow",
      "PUT hostile schema",
      "POST task of a hostile schema",
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
    "deep field",
    "odd time",
    ...largeShapes,
  ]) {
    expect(changes).toContain(change);
  }
});

const contracts = {
  reply: StepReply,
  heartbeat: AgentHeartbeat,
  progress: StepProgress,
  cancel: StepCancel,
  request: StepRequest,
  "expired request": StepRequest,
};

test.each(["deep", "large", "times"] as const)(
  "each kind of message of class %s is read as what it is, or refused with a reason",
  (name) => {
    const inputClass = inputClasses[name];
    const outcomes = new Set<string>();
    for (const [target, contract] of Object.entries(contracts)) {
      const to = messageTargets.find((one) => one.name === target)!;
      for (let index = 0; index < 60; index += 1) {
        const { body } = messageTo(to, diceOf(3, index), { around, inputClass });
        try {
          contract.decode(body);
          outcomes.add("read");
        } catch (error) {
          expect(error).toBeInstanceOf(ContractFault);
          outcomes.add("refused");
        }
      }
    }
    expect(outcomes).toEqual(new Set(["read", "refused"]));
  },
);

test("most hostile inputs are small, and some have megabytes", () => {
  const sizes = inputs(1, 4_000, ["damaged"])
    .map(({ body }) => body.length)
    .toSorted((one, other) => one - other);
  expect(sizes[2_000]).toBeLessThan(1_000);
  expect(sizes.at(-1)).toBeGreaterThan(1_000_000);
});

test.each([
  ["reply", StepReply],
  ["heartbeat", AgentHeartbeat],
  ["progress", StepProgress],
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
