import { agentQueue } from "@holdfast/contracts";
import { TransientFault } from "@holdfast/domain";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { request } from "../../test/fixtures.ts";
import {
  answerOf,
  type Charge,
  chargeId,
  mailbox,
  openTestedAgent,
  type TestedAgent,
} from "../../test/serving.ts";
import type { ResiliencePolicy } from "../attempt/resilience-policy.ts";

let tested: TestedAgent;

beforeEach(async () => {
  tested = await openTestedAgent();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const down = new TransientFault("payments.unreachable", "gone");
const consumers = async () => (await tested.scheduler.inspect(agentQueue("payments")))?.consumers;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** An instance that fails at once while it is sick, and counts its calls. */
async function instance({ isSick = false, takes = 20, openFor = 500 } = {}) {
  const state = { isSick, calls: 0, failures: 0 };
  const charge: Charge = async () => {
    state.calls += 1;
    if (state.isSick) {
      state.failures += 1;
      throw down;
    }
    await new Promise((resolve) => setTimeout(resolve, takes));
    return { chargeId };
  };
  const started = await tested.serve({
    charge,
    options: { retries: 0, failures: 3, openFor },
  });
  const { served, broker } = started;
  return { health: () => served.health(), stop: () => started.stop(), state, broker };
}

/**
 * The next outcome that was attempted. What comes before its consumer is cancelled is given back,
 * and asked again.
 */
async function attempted() {
  const next = async () => answerOf(await tested.replies.take()).outcome;
  let outcome = await next();
  while (outcome.kind === "failed" && outcome.attempted === false) {
    await tested.ask(request());
    outcome = await next();
  }
  return outcome;
}

/**
 * Asks, as a Scheduler does, for so many steps, and asks again after each failure, as a new
 * attempt.
 */
async function perform(count: number) {
  const open = new Map<string, number>();
  const ask = async (taskId: string, attempt: number): Promise<void> => {
    open.set(taskId, attempt);
    await tested.ask(request({ taskId, attempt }));
  };
  const first = Array.from({ length: count }, () => request().taskId);
  await Promise.all(first.map((taskId) => ask(taskId, 1)));
  let [counted, returned] = [0, 0];
  while (open.size > 0) {
    const { taskId, attempt, outcome } = answerOf(await tested.replies.take());
    if (outcome.kind === "completed") open.delete(taskId);
    else if (outcome.kind === "failed") {
      if (outcome.attempted === false) returned += 1;
      else counted += 1;
      await ask(taskId, attempt + 1);
    }
  }
  return { counted, returned };
}

test("a sick instance beside two well ones gets only probes after its breaker opened, and comes back when it is well", async () => {
  const sick = await instance({ isSick: true });
  const well = [await instance(), await instance()];
  const wellCalls = () => well.reduce((sum, { state }) => sum + state.calls, 0);

  const first = await perform(100);
  expect(wellCalls()).toBe(100);
  // Only what was called has failed.
  expect(first.counted).toBe(sick.state.failures);
  await until(async () => (await consumers()) === 2 || sick.health().breaker === "half-open");

  const [before, startedAt] = [sick.state.calls, performance.now()];
  const second = await perform(300);
  const probes = sick.state.calls - before;
  expect(wellCalls()).toBe(400);
  expect(second.counted).toBe(probes);
  expect(probes).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 500);

  sick.state.isSick = false;
  const healedAt = sick.state.calls;
  while (sick.state.calls === healedAt) await perform(20);
  // Its prefetch doubles with what it completes.
  while (sick.state.calls < healedAt + 30) await perform(60);
  expect(sick.health().breaker).toBe("closed");
  expect(await perform(100)).toEqual({ counted: 0, returned: 0 });
});

test("what an instance holds and has not begun is given back at once when its breaker opens, and what has begun is finished", async () => {
  const begun = mailbox<{ readonly end: (error?: Error) => void }>();
  const charge: Charge = () => {
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly chargeId: string }>();
    begun.put({ end: (error) => (error === undefined ? resolve({ chargeId }) : reject(error)) });
    return promise;
  };
  const { served } = await tested.serve({
    charge,
    options: { retries: 0, failures: 1, openFor: 60_000 },
  });
  const asked = Array.from({ length: 13 }, () => request());
  for (const one of asked) await tested.ask(one);
  // Ten are begun, two are here without a slot, and one is in the queue.
  const calls = [];
  for (let count = 0; count < 10; count += 1) calls.push(await begun.take());
  await until(() => served.health().inFlight === 12);
  calls[0]?.end(down);
  const answers = [];
  for (let count = 0; count < 3; count += 1) answers.push(answerOf(await tested.replies.take()));
  const outcomes = answers.map(({ outcome }) => outcome);
  const givenBack = {
    kind: "failed",
    code: "agent.circuit_open",
    transient: true,
    attempted: false,
    effect: "none",
    redelivered: false,
  };
  expect(outcomes.filter((outcome) => "attempted" in outcome && !outcome.attempted)).toEqual([
    { ...givenBack, message: expect.any(String) },
    { ...givenBack, message: expect.any(String) },
  ]);
  // A reply is here before its confirm is there.
  await until(() => served.health().inFlight === 9);
  expect(served.health().breaker).toBe("open");
  for (const { end } of calls.slice(1)) end();
  for (let count = 0; count < 9; count += 1) {
    expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
  }
  await until(async () => (await consumers()) === 0);
  expect(await tested.scheduler.inspect(agentQueue("payments"))).toEqual({
    messages: 1,
    consumers: 0,
  });
});

test("the only instance of an Agent is ready while it does not consume, and back soon after its remote service", async () => {
  const openFor = 400;
  const { state, health, broker } = await instance({ isSick: true, openFor });
  for (let count = 0; count < 3; count += 1) {
    await tested.ask(request());
    await tested.replies.take();
  }
  expect(health().breaker).toBe("open");
  await until(async () => (await consumers()) === 0);
  expect(broker.isReady).toBe(true);
  // It fails some probes. No other instance consumes the queue, so its rest does not grow with each
  // failed probe.
  await tested.ask(request());
  for (let count = 0; count < 4; count += 1) {
    expect((await attempted()).kind).toBe("failed");
    await tested.ask(request());
  }
  state.isSick = false;
  const backAt = performance.now();
  expect((await attempted()).kind).toBe("completed");
  // Had its rest doubled with each failed probe, it would be sixteen times as long.
  expect(performance.now() - backAt).toBeLessThan(8 * openFor);
});

test("an instance whose breaker is open keeps its consumer cancelled when its connection comes back", async () => {
  const { state, health, broker } = await instance({ isSick: true, openFor: 3_000 });
  for (let count = 0; count < 3; count += 1) {
    await tested.ask(request());
    await tested.replies.take();
  }
  await until(async () => (await consumers()) === 0);
  await tested.server.closeAllConnections();
  await until(() => broker.isReady);
  await until(async () => (await consumers()) !== undefined);
  expect([health().breaker, await consumers()]).toEqual(["open", 0]);
  state.isSick = false;
  await until(async () => (await consumers()) === 1);
  await until(() => tested.scheduler.isReady);
  await tested.ask(request());
  expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
});

test("an instance whose breaker is open stops at once, and leaves its requests to others", async () => {
  const sick = await instance({ isSick: true, openFor: 60_000 });
  for (let count = 0; count < 3; count += 1) {
    await tested.ask(request());
    await tested.replies.take();
  }
  await until(async () => (await consumers()) === 0);
  await tested.ask(request());
  await sick.stop();
  const { state } = await instance();
  expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
  expect(state.calls).toBe(1);
});

test("an instance whose policy reports no changes goes on consuming, and answers what its policy throws", async () => {
  const open = new TransientFault("agent.circuit_open", "not now", {
    retryAfter: "7s",
  });
  const policy: ResiliencePolicy = {
    call: () => Promise.reject(open),
    health: () => ({ breaker: "open", openForMs: 7_000 }),
  };
  const { served } = await tested.serve({ charge: async () => ({ chargeId }), options: policy });
  for (let count = 0; count < 3; count += 1) {
    await tested.ask(request());
    expect(answerOf(await tested.replies.take()).outcome).toMatchObject({
      code: "agent.circuit_open",
      attempted: false,
      retryAfterMs: 7_000,
    });
  }
  expect(served.health().breaker).toBe("open");
  expect(await consumers()).toBe(1);
});
