import {
  heartbeatExchange,
  signalExchange,
  signalQueue,
  submissionExchange,
  submissionQueue,
  TaskSignal,
} from "@holdfast/contracts";
import { newTask } from "@holdfast/load";
import { askBroker } from "@holdfast/local-stack";
import { fulfilOrder, type SampleKind, sampleOrder } from "@holdfast/orders";
import { operatorToken, setFaultSettings } from "@holdfast/processes";
import { expect, test } from "@jest/globals";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";
import { tappedStatus } from "./wire.ts";

/** Submits by message, as an application does. */
const submitByMessage = (faulty: FaultySystem, messageId: string, body: string) =>
  publish(faulty, {
    exchange: submissionExchange,
    routingKey: submissionQueue,
    body,
    messageId,
    replyTo: tappedStatus,
    headers: { workflow: "fulfil-order" },
    url: faulty.system.broker.urlOf("application"),
  });

/** Sends a signal by message for a task that there is not. */
const signalByMessage = (faulty: FaultySystem) =>
  publish(faulty, {
    exchange: signalExchange,
    routingKey: signalQueue,
    type: TaskSignal.type,
    body: TaskSignal.encode({
      taskId: "019a2b3c-0000-7000-8000-000000000000",
      name: "paid",
      id: "evt-1",
      payload: { paymentId: "P-1" },
    }).toString(),
    replyTo: tappedStatus,
    url: faulty.system.broker.urlOf("application"),
  });

/** A workflow that one of the treasury releases, who is reminded each second. */
const releasing = {
  format: 4,
  name: "releasing.v1",
  inputSchema: {},
  steps: [
    {
      kind: "approval",
      name: "release",
      audience: "treasury",
      quorum: 1,
      excludesSubmitter: false,
      excludes: [],
      within: 86_400_000,
      remindAfter: 1_000,
      onDeadline: "reject",
      show: {},
      after: [],
      onlyIf: null,
      onFailure: "undo",
    },
  ],
  completeWithin: null,
  output: null,
} as const;

/** Has people be asked about a step, be reminded, and decide. */
async function decideOnce(faulty: FaultySystem): Promise<void> {
  const { store, wire, system } = faulty;
  await store.registerWorkflow(releasing);
  await publish(faulty, {
    exchange: submissionExchange,
    routingKey: submissionQueue,
    body: "{}",
    messageId: "releasing",
    headers: { workflow: "releasing" },
    url: system.broker.urlOf("application"),
  });
  const times = () => wire.seen.get("holdfast.approval") ?? 0;
  await until(() => times() >= 2);
  const asked = { audiences: null, taskId: null, undecidedBy: null, after: null, most: 1 };
  const { items } = await store.findApprovals(asked);
  await store.recordDecision({
    taskId: items[0]?.taskId ?? "",
    step: "release",
    actor: "ada",
    actorName: "Ada",
    decision: "approve",
    reason: null,
    form: null,
    quorum: 1,
  });
  const decided = `select from state.tasks where workflow = 'releasing.v1' and process_state = 'processed'`;
  await until(async () => (await faulty.query(decided)).length === 1);
  await until(async () => (await faulty.query("select from state.outbox")).length === 0);
  expect(times()).toBeGreaterThanOrEqual(3);
}

const bodyOf = (kind: SampleKind) => JSON.stringify(sampleOrder({ kind }));

/** Submits an order, and cancels it while the partner holds the request of its second step. */
async function cancelInMidStep(faulty: FaultySystem): Promise<void> {
  const { store, system } = faulty;
  await setFaultSettings(system, "payments", { holdMs: 4_500 });
  const input = sampleOrder({ kind: "good", seed: 7 });
  const [submitted] = await store.submitTasks(
    [newTask({ workflow: fulfilOrder.definition.name, input })],
    { actor: "test" },
  );
  const taskId = submitted?.kind === "created" ? submitted.taskId : "";
  const held = `select from state.steps where task_id = '${taskId}' and name = 'charge' and confirmed_at is not null`;
  await until(async () => (await faulty.query(held)).length === 1);
  await setFaultSettings(system, "payments", {});
  const url = `${await faulty.operationsUrl()}/v1/tasks/${taskId}`;
  const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
  const { version } = (await (await fetch(url, { headers })).json()) as { version: number };
  const body = JSON.stringify({ actor: "ann", reason: "a test" });
  const seen = { ...headers, "if-match": `"${version}"` };
  expect((await fetch(`${url}/cancel`, { method: "POST", headers: seen, body })).ok).toBe(true);
}

test("every message that the services exchange fits its published schema", async () => {
  const on = { EVENTS: "on" };
  await using faulty = await startFaultySystem({
    env: { scheduler: on, supervisor: on, submission: on },
  });
  await faulty.operationsUrl();
  await askBroker(faulty.broker?.url ?? "", (channel) =>
    channel.assertQueue(tappedStatus, { durable: true }),
  );
  await submitByMessage(faulty, "good", bodyOf("good"));
  await submitByMessage(faulty, "undone", bodyOf("unshippable"));
  await submitByMessage(faulty, "refused", "{}");
  await signalByMessage(faulty);
  const order = sampleOrder({ kind: "good" });
  const bouncing = { ...order, customer: { ...order.customer, email: "ada@bounces.example" } };
  await submitByMessage(faulty, "halting", JSON.stringify(bouncing));
  const { seen, misfits } = faulty.wire;
  await until(() => seen.has("holdfast.task.alert.v1"));
  await cancelInMidStep(faulty);
  await decideOnce(faulty);
  const types = [
    "agent.heartbeat.v1",
    "holdfast.approval",
    "holdfast.task",
    "holdfast.task.alert.v1",
    "scheduler.wake.v1",
    "signal.refused.v1",
    "step.cancel.v1",
    "step.reply.v1",
    "step.request.v1",
    "task.refused.v1",
    "task.signal.v1",
    "task.status.v1",
    "task.submission",
  ];
  await until(() => types.every((type) => seen.has(type)));
  const ended = "select from state.tasks where process_state in ('processed', 'undone')";
  await until(async () => (await faulty.query(ended)).length === 4);
  // What only a slow machine has them say, such as progress, fits or is a misfit as well.
  expect(misfits).toEqual([]);
});

test("a message that does not fit its schema, or that its exchange does not carry, is noticed", async () => {
  await using faulty = await startFaultySystem({ forging: true, count: { agent: 0 } });
  const forged = { exchange: heartbeatExchange, routingKey: "heartbeat.inventory" };
  await publish(faulty, { ...forged, type: "agent.heartbeat.v1", body: '{"agent":1}' });
  await publish(faulty, { ...forged, type: "step.reply.v1", body: "{}" });
  await until(() => faulty.wire.misfits.length === 2);
  expect(faulty.wire.misfits).toEqual([
    "holdfast.heartbeats agent.heartbeat.v1: / must have required property 'instance'",
    "holdfast.heartbeats step.reply.v1: the exchange carries no such message",
  ]);
});
