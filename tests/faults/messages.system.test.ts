import { replyExchange, submissionExchange, submissionQueue } from "@holdfast/contracts";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { operatorToken } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";

const reply = (taskId: string, changes: object = {}) =>
  JSON.stringify({
    taskId,
    step: "reserve",
    attempt: 1,
    token: "00000000-0000-4000-8000-000000000000",
    outcome: { kind: "completed", output: { reservationId: "forged" } },
    ...changes,
  });

const rejections = async (faulty: FaultySystem) =>
  faulty.query<{ reason: string }>("select reason from state.rejected_replies order by id");

test("an unreadable reply is stored as a dead letter, and blocks no other message", async () => {
  await using faulty = await startFaultySystem({ forging: true });
  const routingKey = "reply.inventory.x";
  for (const body of ["", "{", "[]", '{"taskId":"no"}', "x".repeat(1_000_000)]) {
    await publish(faulty, { exchange: replyExchange, routingKey, body });
  }
  const ids = await faulty.submit(["good"]);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  await until(async () => (await faulty.query("select 1 from state.dead_letters")).length === 5);
  const [letter] = await faulty.query("select queue, reason from state.dead_letters limit 1");
  expect(letter).toEqual({ queue: "dead.replies", reason: "rejected" });
});

test("an order that was refused is processed once an operator replays it, and a reply that is still unreadable comes back", async () => {
  await using faulty = await startFaultySystem({ forging: true });
  await publish(faulty, {
    exchange: submissionExchange,
    routingKey: submissionQueue,
    body: JSON.stringify(sampleOrder({ kind: "good" })),
    messageId: "late-1",
    headers: { workflow: "late" },
    url: faulty.system.broker.urlOf("application"),
  });
  const routingKey = "reply.inventory.x";
  await publish(faulty, { exchange: replyExchange, routingKey, body: "{", messageId: "r-1" });
  const letters = () =>
    faulty.query<{ id: string; queue: string }>(
      "select id::text, queue from state.dead_letters order by queue desc, id",
    );
  await until(async () => (await letters()).length === 2);
  const [order, late] = await letters();
  await faulty.store.registerWorkflow({ ...fulfilOrder.definition, name: "late.v1" });
  const replay = async (id = "") => {
    const response = await fetch(`${await faulty.operationsUrl()}/v1/dead-letters/${id}/replay`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${operatorToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ actor: "ann", reason: "it is stored now" }),
    });
    return response.status;
  };
  // RabbitMQ is connected to in the background.
  await until(async () => (await replay(order?.id)) === 204);
  expect(await replay(late?.id)).toBe(204);
  await until(async () => (await faulty.query("select 1 from state.tasks")).length === 1);
  const tasks = await faulty.query<{ task_id: string }>("select task_id::text from state.tasks");
  const ids = tasks.map(({ task_id }) => task_id);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
  await until(async () => (await letters()).some(({ id }) => id !== late?.id));
  expect(await letters()).toMatchObject([{ queue: "dead.replies" }]);
});

test("a forged reply changes nothing and is recorded with its reason", async () => {
  await using faulty = await startFaultySystem({
    forging: true,
    env: { scheduler: { REPLY_IDENTITY: "trusted" } },
    // The attempt is still the first one when the last forged reply comes.
    limits: { startWithin: 60_000, completeWithin: 60_000 },
  });
  await faulty.system.running("agent")[0]?.[Symbol.asyncDispose]();
  const [id] = await faulty.submit(["good"]);
  await until(
    async () =>
      (await faulty.query("select 1 from state.steps where process_state = 'processing'")).length >
      0,
  );
  const forge = (agent: string, body: string) =>
    publish(faulty, { exchange: replyExchange, routingKey: `reply.${agent}.${id}`, body });
  await forge("inventory", reply(id));
  await forge("inventory", reply(id, { attempt: 7 }));
  await forge("inventory", reply(id, { step: "nothing" }));
  await forge("inventory", reply(crypto.randomUUID()));
  await until(async () => (await rejections(faulty)).length === 4);
  expect((await rejections(faulty)).map(({ reason }) => reason)).toEqual([
    "wrong_token",
    "stale_attempt",
    "unknown_step",
    "unknown_task",
  ]);
  await faulty.system.start("agent");
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 1, undone: 0 }));
});

test("a reply without a user id that the broker has verified is refused", async () => {
  await using faulty = await startFaultySystem({ forging: true });
  await publish(faulty, {
    exchange: replyExchange,
    routingKey: "reply.inventory.x",
    body: reply(crypto.randomUUID()),
  });
  await until(async () => (await rejections(faulty)).length === 1);
  expect(await rejections(faulty)).toEqual([{ reason: "no_user_id" }]);
});

test("while no Agent runs, steps are requeued and no failure is counted", async () => {
  await using faulty = await startFaultySystem({ forging: true });
  await faulty.system.running("agent")[0]?.[Symbol.asyncDispose]();
  const ids = await faulty.submit(["good", "unshippable"]);
  await faulty.said("request dead-lettered", "scheduler");
  await until(
    async () =>
      (await faulty.query("select 1 from state.steps where requeue_count > 0")).length > 0,
  );
  expect(await faulty.query("select 1 from state.steps where failure_count > 0")).toEqual([]);
  await faulty.system.start("agent");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 1 }));
});

test("an order by message is processed like any other, and once, however often it is delivered", async () => {
  await using faulty = await startFaultySystem({ forging: true });
  const body = JSON.stringify(sampleOrder({ kind: "good" }));
  const order = {
    exchange: submissionExchange,
    routingKey: submissionQueue,
    body,
    messageId: "order-1",
    url: faulty.system.broker.urlOf("application"),
  };
  await publish(faulty, order);
  await publish(faulty, order);
  await publish(faulty, { ...order, body: "{}", messageId: "order-2" });
  await until(async () => (await faulty.query("select 1 from state.dead_letters")).length === 1);
  await until(async () => (await faulty.query("select 1 from state.tasks")).length > 0);
  const tasks = await faulty.query<{ task_id: string }>("select task_id::text from state.tasks");
  expect(tasks).toHaveLength(1);
  const ids = tasks.map(({ task_id }) => task_id);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});
