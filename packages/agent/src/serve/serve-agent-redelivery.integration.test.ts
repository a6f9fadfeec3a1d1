import { randomUUID } from "node:crypto";
import { agentQueue, expiredQueue, StepRequest } from "@holdfast/contracts";
import { PermanentFault } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { openLink } from "@holdfast/test-servers";
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

const queue = agentQueue("payments");

test("an Agent acknowledges a request after its reply is stored: if it dies before, another instance gets the request", async () => {
  const confirm = Promise.withResolvers<"stored">();
  const published = mailbox<string>();
  const dying = await tested.serve({
    charge: async () => ({ chargeId }),
    publish: (message) => {
      published.put(message.routingKey);
      return confirm.promise;
    },
  });
  const asked = request();
  await tested.ask(asked);
  await published.take();
  await dying.broker[Symbol.asyncDispose]();

  await tested.serve({ charge: async () => ({ chargeId: "c-2" }) });
  expect(answerOf(await tested.replies.take())).toMatchObject({
    taskId: asked.taskId,
    outcome: { output: { chargeId: "c-2" } },
  });
  confirm.resolve("stored");
});

test("an Agent publishes its reply again until the broker has stored it", async () => {
  const results = ["unknown", "unroutable", "unknown"] as const;
  const left = [...results];
  const agent = await tested.serve({
    charge: async () => ({ chargeId }),
    publish: async (message) => left.shift() ?? tested.scheduler.publish({ ...message }),
  });
  await tested.ask(request());
  expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
  expect(await agent.logs.take()).toBe("step answered");
  expect(left).toEqual([]);
});

test("an Agent drops an unconfirmed reply and its request at the deadline", async () => {
  const agent = await tested.serve({
    charge: async () => ({ chargeId }),
    publish: async () => "unroutable",
  });
  await tested.ask(request({ workMs: 150 }));
  expect(await agent.logs.take()).toBe("reply not sent");
  await agent.stop();
  expect(await tested.server.depth(queue)).toBe(0);
});

test("an Agent sends no reply after the deadline, and the request is not redelivered", async () => {
  const { charge, begun } = held();
  const agent = await tested.serve({ charge });
  await tested.ask(request({ workMs: 50 }));
  await begun.take();
  expect(await agent.logs.take()).toBe("step abandoned");
  await agent.stop();
  expect(await tested.server.depth(queue)).toBe(0);
  expect(tested.replies.isEmpty).toBe(true);
});

test("an Agent drops a copy of a request that it is working on, and no other request", async () => {
  const { charge, begun, release } = held();
  await tested.serve({ charge });
  const asked = request();
  await tested.ask(asked);
  await tested.ask(asked);
  await tested.ask({ ...asked, attempt: 2 });
  expect([await begun.take(), await begun.take()]).toEqual([1, 2]);
  release();
  const answers = [answerOf(await tested.replies.take()), answerOf(await tested.replies.take())];
  expect(answers.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(begun.isEmpty).toBe(true);
});

test.each([
  ["is unreadable", Buffer.from("{")],
  ["is for another Agent", StepRequest.encode(request({ agent: "shipping" }))],
])("an Agent dead-letters a request that %s and goes on", async (_, body) => {
  await tested.serve({ charge: async () => ({ chargeId }) });
  const dead = mailbox<string | undefined>();
  tested.parts.use(
    await tested.scheduler.consume(expiredQueue, { prefetch: 1 }, async ({ deathReason }) =>
      dead.put(deathReason),
    ),
  );
  await tested.ask(request(), { body });
  expect(await dead.take()).toBe("rejected");
  await tested.ask(request());
  expect(answerOf(await tested.replies.take()).outcome.kind).toBe("completed");
});

test("an Agent goes on after all connections were cut", async () => {
  const { charge, begun, release } = held();
  await tested.serve({ charge });
  const asked = request();
  await tested.ask(asked);
  await begun.take();
  await tested.server.closeAllConnections();
  release();
  expect(answerOf(await tested.replies.take())).toMatchObject({ taskId: asked.taskId });
});

/**
 * A consumer receives the request and loses its connection, so that the broker delivers the request
 * again.
 */
const redeliver = (asked: StepRequest): Promise<void> =>
  askBroker(tested.server.url, async (channel) => {
    await tested.ask(asked);
    const { promise: received, resolve } = Promise.withResolvers<unknown>();
    await channel.consume(queue, resolve);
    await received;
  });

const refused = { kind: "failed", attempted: false, transient: false, effect: "none" };

test.each([
  ["the contract refuses", request({ operation: "unknown" }), refused],
  ["the remote service declines", request(), { kind: "failed", attempted: true, effect: "none" }],
])(
  "an Agent reports of a request that %s whether the broker had delivered it before",
  async (_, asked, expected) => {
    const declined = new PermanentFault("payments.declined", "no", { effect: "none" });
    const decline = () => Promise.reject(declined);
    const first = await tested.serve({ charge: decline });
    await tested.ask(asked);
    const once = answerOf(await tested.replies.take());
    expect(once.outcome).toMatchObject({ ...expected, redelivered: false });
    await first.stop();

    const again = { ...asked, taskId: randomUUID() };
    await redeliver(again);
    await tested.serve({ charge: decline });
    const twice = answerOf(await tested.replies.take());
    expect(twice).toMatchObject({
      taskId: again.taskId,
      outcome: { ...expected, redelivered: true },
    });
  },
);

test("an Agent whose acknowledgement is lost does not say that its refusal speaks for every copy of the request", async () => {
  const link = tested.parts.use(await openLink(tested.server.url));
  // How a client acknowledges: class 60, method 80.
  link.cutAt({ pattern: Buffer.from([0, 60, 0, 80]), when: "half" });
  const first = await tested.serve({ charge: async () => ({ chargeId }), url: link.url });
  const asked = request({ operation: "unknown" });
  await tested.ask(asked);
  const answer = answerOf(await tested.replies.take());
  expect(answer).toMatchObject({
    taskId: asked.taskId,
    outcome: { ...refused, redelivered: true },
  });
  // The broker has it still, and gives it to another instance once it drops the connection.
  link.reset();
  await first.stop();
  const again = await tested.serve({ charge: async () => ({ chargeId }) });
  expect(answerOf(await tested.replies.take())).toMatchObject({ taskId: asked.taskId });
  await again.stop();
});
