import { TaskApproval, type TaskStatus } from "@holdfast/contracts";
import type { Binding, BindResult, OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { TakenNotification } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { sendNotifications } from "./send-notifications.ts";

const body: TaskStatus = {
  taskId: "01a1fd8d-d928-77c8-96cb-353aaba1757f",
  correlationId: null,
  sequence: 1,
  event: "received",
  workflow: "test.v1",
  state: "pending",
  steps: [],
  faultCode: null,
  at: "2026-11-21T10:01:34.611Z",
};
const common = (id: number) => ({
  id: String(id),
  subject: body.taskId,
  seq: id,
  correlationId: null,
  body,
});
const event = (id: number): TakenNotification => ({
  ...common(id),
  destination: "",
  channel: "event",
  address: null,
});
const status = (id: number, address = "status.shop"): TakenNotification => ({
  ...common(id),
  destination: address,
  channel: "status",
  address,
});

/** A round with these notifications in the outbox, and what came of it. */
function sending(
  answer: (message: OutgoingMessage, bindings: readonly Binding[]) => PublishResult,
  bind: (binding: Binding) => BindResult = ({ queue }) =>
    queue === "status.shop" ? "bound" : "refused",
) {
  const bindings: Binding[] = [];
  const published: OutgoingMessage[] = [];
  const warnings: object[] = [];
  const errors: object[] = [];
  const heard: string[] = [];
  const deleted: string[] = [];
  const waiting: TakenNotification[] = [];
  const time = { now: 0 };
  const round = sendNotifications({
    store: {
      takeNotifications: async () => waiting.splice(0),
      deleteNotifications: async ({ ids, delivered }) => {
        deleted.push(...ids);
        heard.push(...delivered);
      },
    },
    kind: "status",
    broker: {
      isReady: true,
      publish: async (message) => {
        published.push(message);
        return answer(message, bindings);
      },
      bind: async (binding) => {
        bindings.push(binding);
        return bind(binding);
      },
    },
    log: {
      warn: (fields: object) => void warnings.push(fields),
      error: (fields: object) => void errors.push(fields),
    } as Partial<Logger> as Logger,
    clock: { now: () => time.now },
  });
  const send = (...notifications: readonly TakenNotification[]) => {
    waiting.push(...notifications);
    return round();
  };
  return { send, time, bindings, published, warnings, errors, heard, deleted };
}

test("sending notifications warns once a minute how many events reached no queue", async () => {
  const { send, time, warnings } = sending(() => "unroutable");
  await send(event(1), event(2), event(3));
  expect(warnings).toMatchObject([{ channel: "event", notifications: 1 }]);
  time.now = 59_999;
  await send(event(4));
  expect(warnings).toHaveLength(1);
  time.now = 60_000;
  await send(event(5));
  expect(warnings).toMatchObject([{ notifications: 1 }, { notifications: 4 }]);
});

test("what people are to decide leaves as an event of its own id, each reminder as well", async () => {
  const { send, published } = sending(() => "stored");
  const approval = {
    taskId: body.taskId,
    correlationId: "order-1",
    sequence: 3,
    workflow: "paying.v1",
    step: "release",
    audience: "treasury",
    quorum: 2,
    deadline: null,
    decision: null,
  } as const;
  const of = (happening: TaskApproval["event"], at: string): TakenNotification => ({
    ...common(3),
    destination: "",
    channel: "event",
    address: null,
    correlationId: "order-1",
    body: { ...approval, event: happening, at },
  });
  const [first, second] = ["2026-11-21T14:00:00.000Z", "2026-11-21T18:00:00.000Z"];
  await send(
    event(3),
    of("approval.wanted", body.at),
    of("approval.reminded", first),
    of("approval.reminded", second),
  );
  const version = `${body.taskId}:3`;
  expect(published.map(({ messageId }) => messageId)).toEqual([
    version,
    `${version}:approval.wanted:release`,
    `${version}:approval.reminded:release:${first}`,
    `${version}:approval.reminded:release:${second}`,
  ]);
  const [, wanted] = published;
  expect(wanted).toMatchObject({
    exchange: "holdfast.events",
    routingKey: "approval.wanted.paying.v1",
    type: "holdfast.approval.wanted",
    correlationId: "order-1",
  });
  const sent = JSON.parse(String(wanted?.body)) as { readonly data: object };
  expect(sent).toMatchObject({ id: wanted?.messageId, time: body.at, subject: body.taskId });
  expect(TaskApproval.decode(Buffer.from(JSON.stringify(sent.data)))).toEqual(sent.data);
});

test("sending an unroutable status binds its submitter's queue, and sends it again", async () => {
  const { send, bindings, published, heard } = sending((_, bound) =>
    bound.length > 0 ? "stored" : "unroutable",
  );
  await send(status(1), status(2));
  expect(bindings).toEqual([
    { exchange: "holdfast.status", queue: "status.shop", routingKey: "status.shop" },
  ]);
  expect(published.map(({ exchange, routingKey }) => [exchange, routingKey])).toEqual(
    Array.from({ length: 3 }, () => ["holdfast.status", "status.shop"]),
  );
  expect(heard).toEqual(["1", "2"]);
});

test("sending notifications drops those whose rows were changed by hand, and sends all others", async () => {
  const { send, published, errors, heard } = sending(() => "stored");
  const spoilt = [null, 5, "x"].map((content, index) => ({ ...event(index), body: content }));
  await send(...(spoilt as unknown as TakenNotification[]), event(7), status(8));
  expect(published).toHaveLength(2);
  expect(errors).toMatchObject([0, 1, 2].map((seq) => ({ seq, channel: "event" })));
  expect(heard).toEqual(["7", "8"]);
});

test("sending a status to a missing queue is given up", async () => {
  const { send, published, warnings, heard } = sending(() => "unroutable");
  await send(status(1, "status.gone"));
  expect(published).toHaveLength(1);
  expect(warnings).toMatchObject([{ channel: "status", address: "status.gone" }]);
  expect(heard).toEqual([]);
});

test("many statuses for a missing queue that are taken together ask for it once, and later ones ask anew", async () => {
  const { send, bindings, published, heard } = sending((message, bound) =>
    bound.some(({ queue }) => queue === message.routingKey) && message.routingKey === "status.shop"
      ? "stored"
      : "unroutable",
  );
  const ofTask = (id: number, address: string) => ({
    ...status(id, address),
    subject: `task ${id}`,
  });
  const gone = (from: number) =>
    Array.from({ length: 50 }, (_, number) => ofTask(from + number, "status.gone"));
  const asked = () => bindings.map(({ queue }) => queue);
  // Several statuses of one task leave one after the other.
  await send(...gone(1), ...gone(1), ofTask(99, "status.shop"));
  expect(asked().toSorted()).toEqual(["status.gone", "status.shop"]);
  expect(heard).toEqual(["99"]);
  // Its submitter may have declared the queue before it submitted what these are about.
  await send(...gone(100));
  expect(asked().slice(2)).toEqual(["status.gone"]);
  // Each is tried all the same: its submitter may have bound the queue.
  expect(published.filter(({ routingKey }) => routingKey === "status.gone")).toHaveLength(150);
});

test("a status whose queue could not be bound, as the broker did not answer, is sent when it answers", async () => {
  const answers: BindResult[] = ["unknown", "bound"];
  const { send, published, warnings, heard, deleted } = sending(
    (_, bound) => (bound.length === 2 ? "stored" : "unroutable"),
    () => answers.shift() ?? "refused",
  );
  await send(status(1), status(2));
  // Neither is given up, and the second one waits for the first.
  expect(published).toHaveLength(1);
  expect(deleted).toEqual([]);
  await send(status(1), status(2));
  expect(heard).toEqual(["1", "2"]);
  expect(warnings).toEqual([]);
});

test("sending an unroutable event binds no queue", async () => {
  const { send, bindings } = sending(() => "unroutable");
  await send(event(1));
  expect(bindings).toEqual([]);
});
