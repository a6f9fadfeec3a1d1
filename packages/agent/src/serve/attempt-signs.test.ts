import {
  heartbeatExchange,
  limits,
  StepProgress,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import type { Broker, Delivery, OutgoingMessage } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { payments, request, unasked } from "../../test/fixtures.ts";
import { virtualClock } from "../../test/virtual-clock.ts";
import type { Handlers, StepContext } from "../contract/handlers.ts";
import { host } from "../run/host.ts";

const silent = () => {};
const log = { debug: silent, warn: silent, error: silent } as unknown as Logger;
const minute = 60_000;
const chargeId = "c-1";

type Result = Awaited<ReturnType<Handlers<typeof payments>["charge"]>>;

/** An Agent whose handler ends when the test says so, in virtual time. */
async function serving({ concurrency = 10, loses = false, isAway = (): boolean => false } = {}) {
  const clock = virtualClock();
  const messages: OutgoingMessage[] = [];
  const prefetches: number[] = [];
  const contexts: StepContext[] = [];
  const ends: ((result: Result) => void)[] = [];
  let deliver: (delivery: Delivery) => Promise<void> = async () => {};
  const broker: Pick<Broker, "publish" | "consume" | "inspect"> = {
    publish: async (message) => {
      if (isAway()) return "unknown";
      if (loses && message.exchange === heartbeatExchange) return "unknown";
      messages.push(message);
      return "stored";
    },
    consume: async (_queue, _options, handle) => {
      deliver = handle;
      const limit = async (prefetch: number) => void prefetches.push(prefetch);
      return Object.assign(new AsyncDisposableStack(), { limit });
    },
    inspect: async () => null,
  };
  const agent = host(payments, {
    charge: (_, context) => {
      contexts.push(context);
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      ends.push(resolve);
      context.signal.addEventListener("abort", () => reject(context.signal.reason));
      return promise;
    },
    refund: unasked,
    assess: unasked,
  });
  const options = { broker, concurrency, userId: "payments", requesters: null, log };
  await agent.serve({ ...options, clock, failpoint: silent });
  return {
    clock,
    contexts,
    prefetches,
    end: (index = 0) => ends[index]?.({ chargeId }),
    sent: () => messages.map(({ body }) => body),
    signs: () =>
      messages
        .filter(({ exchange }) => exchange === heartbeatExchange)
        .map(({ body }) => StepProgress.decode(body).attempts),
    replies: () =>
      messages
        .filter(({ type }) => type === StepReply.type)
        .map(({ body }) => StepReply.decode(body).outcome.kind),
    async ask(asked: Partial<StepRequest> = {}) {
      const acks: number[] = [];
      const delivery = {
        body: StepRequest.encode(request(asked)),
        redelivered: false,
        isCurrent: () => true,
        ack: () => void acks.push(clock.now()),
      } as Partial<Delivery> as Delivery;
      void deliver(delivery).catch(silent);
      await clock.pass(0);
      return acks;
    },
  };
}

test("an answer that the broker took too late for its deadline is lost, and its Agent says afterwards for how long", async () => {
  let isAway = false;
  const agent = await serving({ isAway: () => isAway });
  await agent.ask({ workMs: 900 });
  isAway = true;
  agent.end();
  await agent.clock.pass(1);
  await agent.clock.pass(2_000);
  expect(agent.sent()).toEqual([]);
  isAway = false;
  await agent.clock.pass(250);
  const [said, ...more] = agent.sent();
  expect(StepProgress.decode(said!)).toEqual({ attempts: [], unansweredMs: expect.any(Number) });
  expect(StepProgress.decode(said!).unansweredMs).toBeGreaterThanOrEqual(2_000);
  await agent.clock.pass(10_000);
  expect(more).toEqual([]);
});

test("an answer that the broker takes before its deadline, though late, is all that is said", async () => {
  let isAway = true;
  const agent = await serving({ isAway: () => isAway });
  await agent.ask({ workMs: 900 });
  agent.end();
  await agent.clock.pass(1);
  await agent.clock.pass(500);
  isAway = false;
  await agent.clock.pass(10_000);
  expect(agent.replies()).toEqual(["completed"]);
  expect(agent.sent()).toHaveLength(1);
});

test("a step that is done within a second sends nothing but its reply", async () => {
  const agent = await serving();
  for (let step = 0; step < 50; step += 1) {
    await agent.ask();
    await agent.clock.pass(20);
    agent.end(step);
    await agent.clock.pass(1);
  }
  await agent.clock.pass(5_000);
  expect(agent.replies()).toHaveLength(50);
  expect(agent.signs()).toEqual([]);
});

test("attempts that run longer are announced once, together in one message", async () => {
  const agent = await serving();
  await agent.ask({ step: "a" });
  await agent.ask({ step: "b" });
  await agent.clock.pass(30_000);
  const [together, ...more] = agent.signs();
  expect(together?.map(({ step, heartbeat }) => [step, heartbeat])).toEqual([
    ["a", undefined],
    ["b", undefined],
  ]);
  expect(together?.[0]?.runningMs).toBe(1_000);
  expect(more).toEqual([]);
});

test("an attempt of less than a second is never announced", async () => {
  const agent = await serving();
  await agent.ask({ workMs: 999 });
  await agent.clock.pass(5_000);
  expect(agent.signs()).toEqual([]);
});

test("heartbeats are sent a few times in the time of an attempt, however often the handler calls", async () => {
  const agent = await serving();
  await agent.ask({ workMs: 5_000, extendMs: minute });
  for (let call = 0; call < 1_000; call += 1) {
    agent.contexts[0]?.progress({ percent: call / 10, note: `page ${call}` });
    await agent.clock.pass(10);
  }
  const signs = agent.signs().flat();
  expect(signs.length).toBeGreaterThan(5);
  expect(signs.length).toBeLessThanOrEqual(11);
  expect(signs.at(-1)?.heartbeat?.note).toMatch(/^page 9\d\d$/);
});

test("an attempt that beats goes on to its cap, and is then abandoned in silence", async () => {
  const agent = await serving();
  await agent.ask({ workMs: 5_000, extendMs: 20_000 });
  const { signal, heartbeat } = agent.contexts[0]!;
  for (let second = 0; second < 19; second += 1) {
    heartbeat();
    await agent.clock.pass(1_000);
  }
  expect(signal.aborted).toBe(false);
  for (let second = 0; second < 2; second += 1) {
    heartbeat();
    await agent.clock.pass(1_000);
  }
  expect(signal.aborted).toBe(true);
  expect(agent.replies()).toEqual([]);
});

test("an attempt that falls silent is abandoned completeWithin after its last heartbeat", async () => {
  const agent = await serving();
  await agent.ask({ workMs: 5_000, extendMs: minute });
  await agent.clock.pass(4_000);
  agent.contexts[0]?.heartbeat();
  await agent.clock.pass(5_000);
  expect(agent.contexts[0]?.signal.aborted).toBe(false);
  await agent.clock.pass(300);
  expect(agent.contexts[0]?.signal.aborted).toBe(true);
});

test.each([
  ["that the broker did not take", { loses: true }, { extendMs: minute }],
  ["of a step without a cap", {}, {}],
])("a heartbeat %s extends nothing", async (_, options, asked) => {
  const agent = await serving(options);
  await agent.ask({ workMs: 5_000, ...asked });
  for (let second = 0; second < 6; second += 1) {
    agent.contexts[0]?.heartbeat();
    await agent.clock.pass(1_000);
  }
  expect(agent.contexts[0]?.signal.aborted).toBe(true);
});

test("what a handler says in a note is cut, and no message is larger than a hint may be", async () => {
  const agent = await serving({ concurrency: 100 });
  for (let step = 0; step < 100; step += 1) await agent.ask({ step: `step ${step}` });
  const note = "\u20ac\u0000".repeat(500);
  for (const { progress } of agent.contexts) progress({ note, percent: Number.NaN });
  await agent.clock.pass(300);
  const signs = agent.signs();
  expect(signs.flat()).toHaveLength(100);
  for (const attempts of signs) {
    expect(StepProgress.encode({ attempts }).length).toBeLessThanOrEqual(limits.hintBytes);
  }
  expect(signs[0]?.[0]?.heartbeat).toEqual({ note: "\u20ac\ufffd".repeat(100) });
});

test("the request of a long attempt is acknowledged once the broker has its first sign, and of no other", async () => {
  const agent = await serving();
  const short = await agent.ask({ workMs: 599_999 });
  const long = await agent.ask({ step: "long", workMs: minute, extendMs: 7_200_000 });
  await agent.clock.pass(900);
  expect([short, long]).toEqual([[], []]);
  await agent.clock.pass(200);
  expect([short, long]).toEqual([[], [1_000]]);
});

test("the request of a long attempt is not acknowledged while the broker does not take its signs", async () => {
  const agent = await serving({ loses: true });
  const acks = await agent.ask({ workMs: 600_000 });
  await agent.clock.pass(minute);
  expect(acks).toEqual([]);
});

test("an Agent takes no more requests than it has slots besides long attempts", async () => {
  const agent = await serving({ concurrency: 2 });
  await agent.ask({ step: "a", workMs: 600_000 });
  await agent.ask({ step: "b", workMs: 600_000 });
  await agent.clock.pass(2_000);
  expect(agent.prefetches.slice(-2)).toEqual([1, 0]);
  agent.end(0);
  await agent.clock.pass(0);
  agent.end(1);
  await agent.clock.pass(0);
  expect(agent.prefetches.slice(-2)).toEqual([1, 2]);
});
