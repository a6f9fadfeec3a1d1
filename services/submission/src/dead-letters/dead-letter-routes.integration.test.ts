import {
  deadReplyQueue,
  deadRequestQueue,
  replyQueue,
  submissionExchange,
  submissionQueue,
} from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { type Broker, connectBroker, type Delivery } from "@holdfast/messaging";
import { openStateStore, type StateStore } from "@holdfast/state-store";
import { type Link, openLink, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { operationsUrl } from "../../test/operations-url.ts";
import { serve } from "../../test/serve.ts";
import {
  asOperator,
  authorization,
  openTrips,
  type TripService,
  token,
  trip,
} from "../../test/trips.ts";
import { until } from "../../test/until.ts";
import { takeTasks } from "../take-tasks.ts";
import { workflowDirectory } from "../workflow-directory.ts";
import type { Publish } from "./replay-dead-letter.ts";

let trips: TripService;
let server: TestBroker;
let link: Link;
let broker: Broker;
let store: StateStore;
let app: ReturnType<typeof serve>;
const recorded = { ...asOperator, actor: `operator:${asOperator.actor}` };
const resources = new AsyncDisposableStack();
const log = { warn: () => {}, error: () => {} };

beforeAll(async () => {
  trips = resources.use(await openTrips());
  server = resources.use(await testBroker());
  link = resources.use(await openLink(server.url));
  const options = { name: "test", topology: "declare", agents: [], log } as const;
  broker = resources.use(await connectBroker({ url: link.url, ...options }));
  const consumer = resources.use(await connectBroker({ url: server.url, ...options }));
  const url = await operationsUrl(trips.url, resources);
  store = resources.use(await openStateStore({ url, applicationName: "test", maxConnections: 2 }));
  app = resources.use(serve(store, { token, publish }));
  const batch = { prefetch: 10, max: 10 };
  const take = takeTasks({
    store: trips.store,
    directory: workflowDirectory(trips.store),
    workflow: null,
    hint: () => {},
    log,
    failpoint: () => {},
    actor: "test",
    ownsStatusQueue: () => true,
    keepKeysFor: 60_000,
  });
  resources.use(await consumer.consumeBatches(submissionQueue, batch, take));
  resources.use(await consumer.consumeBatches(deadRequestQueue, batch, recordDeadLetters));
});
afterAll(() => resources.disposeAsync());
beforeEach(async () => {
  await trips.clear();
  await queryOnce(trips.url, "truncate state.dead_letters, state.dead_letter_actions");
});

const publish: Publish = (message) => broker.publish(message);

/** Records dead letters as the Scheduler does. */
const recordDeadLetters = (deliveries: readonly Delivery[]) =>
  trips.store.recordDeadLetters(
    deliveries.map((delivery) => ({ ...deadLetter(delivery.body), ...propertiesOf(delivery) })),
  );
const deadLetter = (body: Buffer) => ({
  queue: deadRequestQueue,
  reason: "rejected",
  messageId: null as string | null,
  type: null,
  sender: null,
  body,
});
const propertiesOf = ({ keep, messageId }: Delivery) => {
  const properties = keep?.();
  const named = { messageId: messageId ?? null };
  return properties === undefined ? named : { ...named, properties };
};

interface Shown {
  readonly id: string;
  readonly queue: string;
  readonly body: string | null;
  readonly replayable: boolean;
  readonly whyNot: string | null;
}
const list = async (query = "") =>
  (await app.inject({ url: `/v1/dead-letters${query}`, headers: { authorization } })).json<{
    items: readonly Shown[];
    next: string | null;
  }>();
const act = (id: string, action: string) =>
  app.inject({
    method: "POST",
    url: `/v1/dead-letters/${id}/${action}`,
    headers: { authorization },
    payload: asOperator,
  });
const actions = async () =>
  (await app.inject({ url: "/v1/dead-letter-actions", headers: { authorization } })).json().items;
const tasksOf = async (workflow: string) =>
  queryOnce(trips.url, `select task_id from state.tasks where workflow = '${workflow}'`);

/** A task by message whose workflow is not stored yet: it becomes a dead letter. */
async function refusedSubmission(messageId: string, workflow: string): Promise<Shown> {
  const result = await broker.publish({
    exchange: submissionExchange,
    routingKey: submissionQueue,
    type: "order",
    messageId,
    correlationId: "order-7",
    replyTo: "status.shop",
    headers: { workflow, "task-priority": "urgent", "task-key": `key-${messageId}` },
    body: Buffer.from(JSON.stringify({ guest: "Ada", nights: 2 })),
  });
  expect(result).toBe("stored");
  await until(async () => (await list()).items.length > 0);
  const [found] = (await list()).items;
  if (found === undefined) throw new Error("There is no dead letter");
  return found;
}

describe("a submission that was refused", () => {
  test("becomes its task by a replay once its workflow is stored, with all that it came with", async () => {
    const dead = await refusedSubmission("m1", "late");
    expect(dead).toMatchObject({ queue: deadRequestQueue, replayable: true, whyNot: null });
    expect((await act(dead.id, "replay")).statusCode).toBe(204);
    await until(async () => (await list()).items.some(({ id }) => id !== dead.id));
    const [again] = (await list()).items;
    expect((await trips.put("late.v1", trip("late.v1"))).statusCode).toBe(201);
    expect((await act(again?.id ?? "", "replay")).statusCode).toBe(204);
    await until(async () => (await tasksOf("late.v1")).length === 1);
    const { items } = (await trips.get("/v1/tasks?key=key-m1")).json();
    expect(items).toMatchObject([{ correlationId: "order-7", priority: "urgent" }]);
    expect((await list()).items).toEqual([]);
    expect(await actions()).toMatchObject([
      { id: again?.id, action: "replay", messageId: "m1", ...recorded },
      { id: dead.id, action: "replay", messageId: "m1", ...recorded },
    ]);
  });

  test("is sent by each of two replays when the first one died before it was kept, and makes one task", async () => {
    const dead = await refusedSubmission("m2", "twice");
    await trips.put("twice.v1", trip("twice.v1"));
    const dying = serve(
      {
        ...store,
        closeDeadLetter: () => Promise.reject(new Error("The process died here")),
      },
      { token, publish },
    );
    await using _dying = dying;
    const died = await dying.inject({
      method: "POST",
      url: `/v1/dead-letters/${dead.id}/replay`,
      headers: { authorization },
      payload: asOperator,
    });
    expect(died.statusCode).toBe(500);
    await until(async () => (await tasksOf("twice.v1")).length === 1);
    expect((await act(dead.id, "replay")).statusCode).toBe(204);
    expect((await act(dead.id, "replay")).statusCode).toBe(204);
    await until(async () => (await server.depth(submissionQueue)) === 0);
    expect(await tasksOf("twice.v1")).toHaveLength(1);
    expect(await actions()).toHaveLength(1);
    expect((await act(dead.id, "discard")).json()).toMatchObject({ code: "message.settled" });
  });

  test("stays a dead letter while the broker is away, and is sent when it is back", async () => {
    const dead = await refusedSubmission("m3", "away");
    await trips.put("away.v1", trip("away.v1"));
    link.takeDown();
    const refused = await act(dead.id, "replay");
    expect([refused.statusCode, refused.json().code]).toEqual([503, "broker.unconfirmed"]);
    expect((await list()).items).toMatchObject([{ id: dead.id }]);
    expect(await actions()).toEqual([]);
    link.heal();
    await until(async () => (await act(dead.id, "replay")).statusCode === 204);
    await until(async () => (await tasksOf("away.v1")).length === 1);
  });
});

const properties = {
  diedIn: replyQueue,
  routingKey: "reply.payments.t1",
  correlationId: null,
  replyTo: null,
  type: "step.reply.v1",
  messageId: "r1",
  headers: {},
  isWhole: true,
};
const deadReply = { ...deadLetter(Buffer.from("{")), queue: deadReplyQueue, messageId: "r1" };

test("a reply whose queue is gone stays a dead letter, and the answer says so", async () => {
  await trips.store.recordDeadLetters([{ ...deadReply, properties }]);
  const [dead] = (await list()).items;
  await server.deleteQueue(replyQueue);
  const refused = await act(dead?.id ?? "", "replay");
  expect([refused.statusCode, refused.json().code]).toEqual([409, "message.unroutable"]);
  expect((await list()).items).toMatchObject([{ id: dead?.id }]);
  expect(await actions()).toEqual([]);
});

test("a dead letter that cannot be sent once more is refused with the reason, and can be discarded", async () => {
  await trips.store.recordDeadLetters([deadReply]);
  const [dead] = (await list()).items;
  expect(dead).toMatchObject({ replayable: false, whyNot: expect.stringMatching(/earlier/) });
  const refused = await act(dead?.id ?? "", "replay");
  expect([refused.statusCode, refused.json().code]).toEqual([409, "message.not_replayable"]);
  expect((await act(dead?.id ?? "", "discard")).statusCode).toBe(204);
  expect((await act(dead?.id ?? "", "discard")).statusCode).toBe(204);
  expect((await act(dead?.id ?? "", "replay")).json()).toMatchObject({ code: "message.settled" });
  expect((await act("123456789", "discard")).json()).toMatchObject({ code: "message.unknown" });
  expect(await actions()).toMatchObject([
    { action: "discard", queue: deadReplyQueue, ...recorded },
  ]);
});

test("a page has the latest dead letters of a queue, the beginning of each body, and where the next one begins", async () => {
  const bodies = ["first", "<img src=x onerror=alert(1)>", "\u001b[2J", `é${"x".repeat(9_000)}`];
  await trips.store.recordDeadLetters(bodies.map((body) => deadLetter(Buffer.from(body))));
  await trips.store.recordDeadLetters([{ ...deadReply, size: 9_000_000, properties }]);
  const first = await list(`?queue=${deadRequestQueue}&limit=3`);
  expect(first.items.map(({ body }) => body)).toEqual([
    `é${"x".repeat(4_094)}`,
    null,
    "<img src=x onerror=alert(1)>",
  ]);
  const second = await list(`?queue=${deadRequestQueue}&limit=3&after=${first.next}`);
  expect(second).toMatchObject({ items: [{ body: "first" }], next: null });
  expect((await list()).items[0]).toMatchObject({ size: 9_000_000, replayable: false });
});

test("one of them has the first MiB of its body, and what is gone is 404", async () => {
  const body = `x${"é".repeat(2 ** 19 - 1)}`;
  await trips.store.recordDeadLetters([deadLetter(Buffer.from(`${body}é, and more`))]);
  const id = (await list()).items[0]?.id ?? "";
  const get = (number: string) =>
    app.inject({ url: `/v1/dead-letters/${number}`, headers: { authorization } });
  expect((await get(id)).json()).toMatchObject({ id, queue: deadRequestQueue, body });
  expect((await act(id, "discard")).statusCode).toBe(204);
  const gone = await get(id);
  expect([gone.statusCode, gone.json()]).toMatchObject([404, { code: "message.unknown" }]);
  expect((await get("none")).statusCode).toBe(422);
});
