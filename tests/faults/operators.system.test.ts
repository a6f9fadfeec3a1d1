import { submissionExchange, submissionQueue } from "@holdfast/contracts";
import { stateOf } from "@holdfast/load";
import { fulfilOrder, type SampleKind, sampleOrder } from "@holdfast/orders";
import { operatorToken, setFaultSettings } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { CloudEvent } from "cloudevents";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";

interface Shown {
  readonly id: string;
  readonly version: number;
  readonly state: string;
  readonly steps: readonly { readonly name: string; readonly processState: string }[];
}

const show = async ({ system }: FaultySystem, id: string): Promise<Shown> =>
  (await (await fetch(`${system.submissionUrl}/v1/tasks/${id}`)).json()) as Shown;

async function post(
  faulty: FaultySystem,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const isOrder = path === "/v1/orders";
  const url = isOrder ? faulty.system.submissionUrl : await faulty.operationsUrl();
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (text === "" ? {} : JSON.parse(text)) as Shown;
}

/** What an operator does, who has just looked at the order. */
async function operate(faulty: FaultySystem, id: string, act: string, more: object = {}) {
  // Started before the order is looked at: it moves on meanwhile.
  await faulty.operationsUrl();
  const { version } = await show(faulty, id);
  const request = { actor: "ann", reason: "a test", ...more };
  const headers = { authorization: `Bearer ${operatorToken}`, "if-match": `"${version}"` };
  return post(faulty, `/v1/tasks/${id}/${act}`, request, headers);
}

interface Heard {
  readonly routingKey: string;
  readonly correlationId: unknown;
  readonly content: Readonly<Record<string, unknown>>;
}

/** A queue of our own, and what has come to it: by its name, or through an exchange. */
async function listen(faulty: FaultySystem, queue: string, exchange?: string) {
  const connection = await connect(faulty.broker?.url ?? "", { noDelay: true });
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, { durable: true });
  if (exchange !== undefined) await channel.bindQueue(queue, exchange, "#");
  const heard: Heard[] = [];
  await channel.consume(
    queue,
    (message) => {
      if (message === null) return;
      heard.push({
        routingKey: message.fields.routingKey,
        correlationId: message.properties.correlationId,
        content: JSON.parse(message.content.toString("utf8")) as Heard["content"],
      });
    },
    { noAck: true },
  );
  return { heard, [Symbol.asyncDispose]: () => connection.close() };
}

const submit = (faulty: FaultySystem, kind: SampleKind, headers = {}) =>
  post(faulty, "/v1/orders", sampleOrder({ kind }), headers);

test("cancelling an order sends its Agent a cancel hint, and the completed steps are undone", async () => {
  await using faulty = await startFaultySystem();
  await faulty.operationsUrl();
  await setFaultSettings(faulty.system, "payments", { holdMs: 4_500 });
  const { id } = await submit(faulty, "good");
  // Marked: its Agent has had the request for a while, and waits for the partner.
  const inHand = "select from state.steps where name = 'charge' and confirmed_at is not null";
  await until(async () => (await faulty.query(inHand)).length === 1);
  // Only that one request is held: its undo finds a partner that answers.
  await setFaultSettings(faulty.system, "payments", {});
  await operate(faulty, id, "cancel");
  // Left alone it would be done in four seconds and a half. That it was not is what the history
  // shows.
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 0, undone: 1 }));
  const reasons = await faulty.query<{ reason: string }>(
    "select distinct reason from state.events where action = 'cancel' and from_state = 'processing'",
  );
  expect(reasons).toEqual([{ reason: "step.stopped" }]);
});

test("an order whose mail bounces halts, and can be resubmitted or resolved as the guide describes", async () => {
  await using faulty = await startFaultySystem();
  const order = sampleOrder({ kind: "good" });
  const bouncing = { ...order, customer: { ...order.customer, email: "ada@bounces.example" } };
  const submitted = await Promise.all([
    post(faulty, "/v1/orders", bouncing),
    post(faulty, "/v1/orders", bouncing),
  ]);
  for (const { id } of submitted) {
    await until(async () => (await stateOf(faulty.system, id)) === "halted");
  }
  const [first, second] = submitted;
  const shown = await show(faulty, first.id);
  const outputOf = (name: string) =>
    shown.steps.find((step) => step.name === name) as unknown as { output: object };
  const { chargeId } = outputOf("charge").output as { chargeId: string };
  const { trackingNumber } = outputOf("ship").output as { trackingNumber: string };
  const to = { ...order.customer, email: "ada@example.com" };
  await operate(faulty, first.id, "resubmit", { input: { to, chargeId, trackingNumber } });
  await operate(faulty, second.id, "resolve", { output: { notificationId: "by-hand" } });
  for (const { id } of submitted) {
    await until(async () => (await stateOf(faulty.system, id)) === "processed");
  }
  expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("a paused Agent gets no requests until an operator resumes it", async () => {
  await using faulty = await startFaultySystem();
  const authorization = `Bearer ${operatorToken}`;
  const request = { actor: "ann", reason: "maintenance" };
  await post(faulty, "/v1/agents/payments/pause", request, { authorization });
  const ids = await faulty.submit(["good"]);
  await until(
    async () =>
      (
        await faulty.query(
          "select from state.steps where name = 'reserve' and process_state = 'processed'",
        )
      ).length === 1,
  );
  expect(
    await faulty.query("select from state.events where step = 'assess-risk' and action = 'claim'"),
  ).toEqual([]);
  await post(faulty, "/v1/agents/payments/resume", request, { authorization });
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 1, undone: 0 }));
});

// Under another name it is another workflow, and the collection is taken.
const { collection: _, ...ordinary } = fulfilOrder.definition;

test("an order that halts raises an alert, and continues with the input that an operator corrected", async () => {
  await using faulty = await startFaultySystem();
  await using events = await listen(faulty, "on-call", "holdfast.events");
  const [id] = await faulty.submit(["declined"], {
    ...ordinary,
    name: "fulfil-order-halting.v1",
    steps: fulfilOrder.definition.steps.map((step) => ({ ...step, onFailure: "halt" as const })),
  });
  await until(async () => (await stateOf(faulty.system, id)) === "halted");
  await until(() => events.heard.length > 0);
  expect(events.heard[0]).toMatchObject({
    routingKey: "alert.task.halted",
    content: { subject: id, data: { step: "charge", kind: "task.halted" } },
  });
  const { customer, total: amount, currency, paymentMethod } = sampleOrder({ kind: "good" });
  const input = { customerId: customer.id, paymentMethod, amount, currency };
  await operate(faulty, id, "resubmit", { input });
  await until(async () => (await stateOf(faulty.system, id)) === "processed");
  expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
  expect(events.heard).toHaveLength(1);
});

test("a submitter gets the statuses of its order in sequence, and a submitter that went away blocks no other", async () => {
  await using faulty = await startFaultySystem({ count: { scheduler: 2 } });
  await using statuses = await listen(faulty, "status.shop");
  const told = { "reply-to": "status.shop", "correlation-id": "c-1" };
  const good = await submit(faulty, "good", told);
  const undone = await submit(faulty, "unshippable", told);
  const away = await submit(faulty, "good", { "reply-to": "status.nobody" });
  const ids = [good.id, undone.id, away.id];
  await publish(faulty, {
    exchange: submissionExchange,
    routingKey: submissionQueue,
    body: "{}",
    messageId: "no-order",
    replyTo: "status.shop",
    correlationId: "c-1",
  });
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 1 }));
  await until(async () => (await faulty.query("select from state.outbox")).length === 0);

  const story = (id: string) =>
    statuses.heard.map(({ content }) => content).filter(({ taskId }) => taskId === id);
  await until(() =>
    ids.slice(0, 2).every((id) => /^(processed|undone)$/.test(String(story(id).at(-1)?.["event"]))),
  );
  for (const [id, first, last] of [
    [good.id, "received", "processed"],
    [undone.id, "received", "undone"],
  ] as const) {
    const numbers = story(id).map(({ sequence }) => Number(sequence));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(story(id).at(0)?.["event"]).toBe(first);
    expect(story(id).at(-1)?.["event"]).toBe(last);
  }
  expect(story(undone.id).map(({ event }) => event)).toContain("undoing");
  expect(statuses.heard.map(({ content }) => content)).toContainEqual(
    expect.objectContaining({ event: "refused", messageId: "no-order", code: "task.invalid" }),
  );
  expect(new Set(statuses.heard.map(({ correlationId }) => correlationId))).toEqual(
    new Set(["c-1"]),
  );
});

test("every subscriber gets the events of every order, as CloudEvents", async () => {
  const on = { EVENTS: "on" };
  await using faulty = await startFaultySystem({
    env: { submission: on, scheduler: on, supervisor: on },
  });
  await using events = await listen(faulty, "news", "holdfast.events");
  const { id } = await submit(faulty, "unshippable");
  expect(await faulty.verdict([id])).toEqual(allRight({ processed: 0, undone: 1 }));
  await until(() => events.heard.some(({ routingKey }) => routingKey.startsWith("task.undone")));
  // Throws on anything that is not CloudEvents 1.0.
  const parsed = events.heard.map(({ content }) => new CloudEvent<{ workflow: string }>(content));
  expect(parsed.map(({ type, subject }) => [type, subject])).toEqual([
    ["holdfast.task.received", id],
    ["holdfast.task.undoing", id],
    ["holdfast.task.undone", id],
  ]);
  expect(new Set(parsed.map((event) => event.id)).size).toBe(3);
  expect(events.heard[0]?.routingKey).toBe("task.received.fulfil-order.v1");
});
