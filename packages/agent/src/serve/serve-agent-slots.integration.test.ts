import { agentQueue, limits, StepProgress, StepReply } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { request } from "../../test/fixtures.ts";
import {
  answerOf,
  type Charge,
  chargeId,
  held,
  mailbox,
  openTestedAgent,
  type TestedAgent,
} from "../../test/serving.ts";

let tested: TestedAgent;

beforeEach(async () => {
  tested = await openTestedAgent();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

test("an Agent does many steps at the same time", async () => {
  const { begun, charge, release } = held();
  await tested.serve({ charge });
  for (let attempt = 1; attempt <= 10; attempt += 1) await tested.ask(request({ attempt }));
  for (let count = 0; count < 10; count += 1) await begun.take();
  release();
  for (let count = 0; count < 10; count += 1) await tested.replies.take();
});

test("an Agent runs no more steps than its concurrency, and prefetches a fifth more", async () => {
  const { begun, charge, release } = held();
  const { served } = await tested.serve({ charge });
  for (let attempt = 1; attempt <= 13; attempt += 1) await tested.ask(request({ attempt }));
  while (served.health().inFlight < 12) await new Promise(setImmediate);
  for (let attempt = 1; attempt <= 10; attempt += 1) expect(await begun.take()).toBe(attempt);
  expect(begun.isEmpty).toBe(true);
  release();
  expect(await begun.take()).toBe(11);
});

test("an Agent begins the next step before the last reply is confirmed", async () => {
  const begun = mailbox<number>();
  const charge: Charge = async (_, { attempt }) => {
    begun.put(attempt);
    return { chargeId };
  };
  const confirm = Promise.withResolvers<"stored">();
  await tested.serve({ charge, publish: () => confirm.promise });
  for (let attempt = 1; attempt <= 12; attempt += 1) await tested.ask(request({ attempt }));
  for (let attempt = 1; attempt <= 12; attempt += 1) expect(await begun.take()).toBe(attempt);
  confirm.resolve("stored");
});

test("an Agent refuses as not attempted a request that has no slot shortly before its deadline, and does not begin it", async () => {
  const { charge, begun, release } = held();
  await tested.serve({ charge });
  const busy = Array.from({ length: 10 }, () => request());
  for (const one of busy) await tested.ask(one);
  for (const _ of busy) await begun.take();
  const late = request({ workMs: 500 });
  await tested.ask(late);
  const answer = answerOf(await tested.replies.take());
  expect(answer).toMatchObject({
    taskId: late.taskId,
    outcome: { kind: "failed", code: "agent.no_slot", attempted: false, transient: true },
  });
  release();
  for (const _ of busy)
    expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
  expect(begun.isEmpty).toBe(true);
});

test("of long requests an Agent acknowledges early those that it has begun, and if it dies the others come back", async () => {
  const { begun, charge, release } = held();
  const announced = mailbox<number>();
  const dying = await tested.serve({
    charge,
    async publish(sent) {
      if (sent.type === StepReply.type) return "stored";
      const result = await tested.scheduler.publish(sent);
      announced.put(StepProgress.decode(sent.body).attempts.length);
      return result;
    },
  });
  const asked = Array.from({ length: 12 }, () => request({ workMs: limits.longAttempt }));
  for (const one of asked) await tested.ask(one);
  for (let count = 0; count < 10; count += 1) await begun.take();
  // The broker has the signs of ten. It gets their acknowledgements before the connection is
  // closed.
  for (let count = 0; count < 10; ) count += await announced.take();
  await new Promise(setImmediate);
  await dying.broker[Symbol.asyncDispose]();
  while ((await tested.server.depth(agentQueue("payments"))) !== 2);
  expect(announced.isEmpty).toBe(true);
  release();
});
