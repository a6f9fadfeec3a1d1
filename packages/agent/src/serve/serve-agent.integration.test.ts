import { agentQueue, ownReplyQueues, StepReply } from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { request } from "../../test/fixtures.ts";
import {
  answerOf,
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

test("an Agent replies under its own name, which the broker verifies, with the token of the request", async () => {
  await tested.serve({ charge: async () => ({ chargeId }) });
  const asked = request();
  await tested.ask(asked);
  const delivery = await tested.replies.take();
  expect(delivery).toMatchObject({
    type: StepReply.type,
    routingKey: `reply.payments.${asked.taskId}`,
    userId: tested.ourUser,
    correlationId: asked.taskId,
  });
  const { taskId, step, attempt, token } = asked;
  const outcome = { kind: "completed", output: { chargeId } };
  const bundleSize = expect.any(Number);
  expect(answerOf(delivery)).toEqual({ taskId, step, attempt, token, outcome, bundleSize });
});

test("an Agent performs an urgent request before others that wait for a slot, and marks its reply", async () => {
  const { begun, charge, release } = held();
  const instance = await tested.serve({ charge });
  const inFlight = async (count: number): Promise<void> => {
    while (instance.served.health().inFlight < count) await new Promise(setImmediate);
  };
  const tookSlots = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const attempt of tookSlots) await tested.ask(request({ attempt }));
  await inFlight(10);
  await tested.ask(request({ attempt: 11 }));
  await inFlight(11);
  await tested.ask(request({ attempt: 12 }), { isUrgent: true });
  await inFlight(12);
  expect(instance.served.health().busy).toBe(10);
  release();
  const order: number[] = [];
  while (order.length < 12) order.push(await begun.take());
  expect(order.slice(10)).toEqual([12, 11]);
  const replies: Delivery[] = [];
  while (replies.length < 12) replies.push(await tested.replies.take());
  const urgent = replies.filter(({ isUrgent }) => isUrgent);
  expect(urgent.map((delivery) => answerOf(delivery).attempt)).toEqual([12]);
});

test("an Agent replies to the queue that the request names", async () => {
  const [own = ""] = ownReplyQueues;
  const mine = mailbox<Delivery>();
  tested.parts.use(
    await tested.scheduler.consume(own, { prefetch: 10 }, async (delivery) => mine.put(delivery)),
  );
  await tested.serve({ charge: async () => ({ chargeId }) });
  const asked = request();
  await tested.ask(asked, { replyTo: own });
  expect(await mine.take()).toMatchObject({ routingKey: `reply-1.payments.${asked.taskId}` });
  expect(tested.replies.isEmpty).toBe(true);
});

test.each([
  ["is gone", ownReplyQueues.at(-1)],
  ["is no queue of replies", "status.of-somebody"],
])(
  "an Agent replies to the shared reply queues if the queue that the request names %s",
  async (_, replyTo) => {
    await tested.serve({ charge: async () => ({ chargeId }) });
    await tested.server.deleteQueue(ownReplyQueues.at(-1) ?? "");
    const asked = request();
    await tested.ask(asked, { replyTo: replyTo ?? "" });
    expect(await tested.replies.take()).toMatchObject({
      routingKey: `reply.payments.${asked.taskId}`,
    });
  },
);

test.each([
  ["that names another user than a Scheduler's", { requesters: new Set(["scheduler"]) }, {}],
  ["that names no user", {}, { isAnonymous: true }],
] as const)(
  "an Agent does not carry out a request %s: the step is requeued",
  async (_, serving, asking) => {
    const done = mailbox<number>();
    const { logs } = await tested.serve({
      charge: async (__, { attempt }) => {
        done.put(attempt);
        return { chargeId };
      },
      ...serving,
    });
    await tested.ask(request(), asking);
    expect(answerOf(await tested.replies.take()).outcome).toMatchObject({
      kind: "failed",
      code: "agent.request_refused",
      transient: true,
      attempted: false,
    });
    expect(await logs.take()).toBe("request refused");
    expect(done.isEmpty).toBe(true);
  },
);

test("an Agent carries out requests of every user if all are trusted", async () => {
  await tested.serve({ charge: async () => ({ chargeId }), requesters: null });
  await tested.ask(request(), { isAnonymous: true });
  expect(answerOf(await tested.replies.take()).outcome).toMatchObject({ kind: "completed" });
});

test("an Agent reports a failure of its handler", async () => {
  const declined = new PermanentFault("payments.declined", "no");
  await tested.serve({ charge: () => Promise.reject(declined) });
  await tested.ask(request());
  expect(answerOf(await tested.replies.take()).outcome).toMatchObject({
    kind: "failed",
    code: "payments.declined",
    transient: false,
  });
});

test("a stopping Agent finishes the requests it has taken, and takes no more", async () => {
  const { charge, begun, release } = held();
  const agent = await tested.serve({ charge });
  await tested.ask(request());
  await begun.take();
  const stopped = agent.stop();
  release();
  await stopped;
  expect(answerOf(await tested.replies.take())).toMatchObject({ attempt: 1 });
  await tested.ask(request({ attempt: 2 }));
  expect(await tested.server.depth(agentQueue("payments"))).toBe(1);
});

test("a handler that throws no Fault is logged as an error, with its stack, the task, the step and the attempt", async () => {
  const bug = new TypeError("Cannot read properties of undefined");
  const { errors, logs } = await tested.serve({
    charge: () => Promise.reject(bug),
    options: { retries: 0 },
  });
  const asked = request();
  await tested.ask(asked);
  expect(await logs.take()).toBe("handler threw");
  const { taskId, step, attempt } = asked;
  expect(errors).toEqual([
    { agent: "payments", taskId, step, attempt, operation: "charge", err: bug },
  ]);
});
