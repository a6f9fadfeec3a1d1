import { randomUUID } from "node:crypto";
import { deadRequestQueue, SignalRefused, signalQueue } from "@holdfast/contracts";
import { queryOnce } from "@holdfast/local-stack";
import { type Broker, connectBroker, userOf } from "@holdfast/messaging";
import { openStateStore, type StateStore, type TransactionClient } from "@holdfast/state-store";
import { migratedDatabase, type TestBroker, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { endLeasesIn, openApplication, takeAllIn } from "../test/application.ts";
import { paying } from "../test/paying.ts";
import { serve } from "../test/serve.ts";
import { statusQueueOwners } from "./access/status-queues.ts";
import { findTasks } from "./find-tasks.ts";
import { signalSender } from "./send-signal.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { takeEnqueuedSignals } from "./take-enqueued-signals.ts";
import { takeSignals } from "./take-signals.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let url: string;
let store: StateStore;
let server: TestBroker;
let broker: Broker;
let user: string;
let application: TransactionClient;
let app: ReturnType<typeof serve>;
let logged: string[] = [];
let hints = 0;

const log = {
  warn: (...line: readonly unknown[]) => void logged.push(JSON.stringify(line)),
  error: () => {},
};
const hint = () => {
  hints += 1;
};
const senderOf = () => {
  const directory = workflowDirectory(store);
  return signalSender({ store, directory, tasks: findTasks(store), hint });
};

beforeAll(async () => {
  url = resources.use(await migratedDatabase()).url;
  store = resources.use(await openStateStore({ url, applicationName: "test", maxConnections: 6 }));
  await store.registerWorkflow(paying);
  application = await openApplication(url, "shop");
  app = resources.use(serve(store, {}));
  server = resources.use(await testBroker());
  user = userOf(server.url);
  const quiet = { warn: () => {}, error: () => {} };
  const options = { name: "test", topology: "declare", agents: [], log: quiet } as const;
  broker = resources.use(await connectBroker({ url: server.url, ...options }));
  const take = takeSignals({
    store,
    sender: senderOf(),
    log,
    actor: "submission-1",
    ownsStatusQueue: statusQueueOwners(`${user}=shop`, new Set()),
  });
  resources.use(await broker.consumeBatches(signalQueue, { prefetch: 10, max: 10 }, take));
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  logged = [];
  hints = 0;
  await server.purge(deadRequestQueue);
  await query("truncate state.outbox, state.inbox, state.refusals, state.signal_inbox");
});

const query = <Row extends object>(sql: string) => queryOnce<Row>(url, sql);
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo()));
};
const dead = (count: number) => until(async () => (await server.depth(deadRequestQueue)) === count);
const payload = { paymentId: "P-1", amount: 240 };
const replyTo = "status.shop";

async function order(more: object = {}): Promise<string> {
  const body = { workflow: "paying", input: { order: "7" }, ...more };
  const response = await app.inject({ method: "POST", url: "/v1/tasks", payload: body });
  return response.json<{ id: string }>().id;
}

interface Properties {
  readonly replyTo?: string;
  readonly isAnonymous?: boolean;
}

async function send(body: object | string, { isAnonymous = false, ...more }: Properties = {}) {
  const result = await broker.publish({
    exchange: "",
    routingKey: signalQueue,
    type: "task.signal.v1",
    messageId: randomUUID(),
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    correlationId: "their-number",
    ...(isAnonymous ? {} : { userId: user }),
    ...more,
  });
  expect(result).toBe("stored");
}

const paid = (taskId: string, changes: object = {}) => ({
  taskId,
  name: "paid",
  id: "evt-1",
  payload,
  ...changes,
});
const signals = (taskId: string) => store.listSignals({ taskId });
const has = (taskId: string, count: number) =>
  until(async () => (await signals(taskId)).length === count);
const refusals = async () =>
  (
    await query<{ address: string; body: object }>(
      "select address, body from state.outbox where channel = 'status' order by id",
    )
  ).map(({ address, body }) => {
    expect(address).toBe(replyTo);
    return SignalRefused.decode(Buffer.from(JSON.stringify(body)));
  });

test("a signal by message is kept with its task, in the name of its sender, and Schedulers get a hint", async () => {
  const task = await order();
  await send(paid(task));
  await has(task, 1);
  expect(await signals(task)).toMatchObject([
    { name: "paid", id: "evt-1", payload, sentBy: `application:${user}`, isLate: false },
  ]);
  await until(async () => hints === 1);
  await store.fireWaits({ actor: "s-1", most: 100, expected: null });
  expect((await app.inject({ url: `/v1/tasks/${task}` })).json()).toMatchObject({
    state: "processed",
    result: "P-1",
  });
});

test("a signal that is delivered again is the same signal, also within one batch", async () => {
  const task = await order();
  for (let count = 0; count < 3; count += 1) await send(paid(task));
  await send(paid(task, { id: "evt-2" }));
  await has(task, 2);
  expect(await server.depth(deadRequestQueue)).toBe(0);
});

test("signals of one batch stay in their order, and one that is refused holds none of them back", async () => {
  const task = await order();
  const ids = Array.from({ length: 20 }, (_, index) => `evt-${index}`);
  for (const id of ids) await send(paid(task, { id }));
  await send(paid(task, { id: "wrong", payload: {} }));
  await send(paid(task, { id: "last" }));
  await has(task, 21);
  expect((await signals(task)).map(({ id }) => id)).toEqual([...ids, "last"]);
  await dead(1);
});

describe("a signal that is refused", () => {
  test.each<[string, object | string, string, readonly string[]]>([
    [
      "a payload of another shape",
      { payload: { ...payload, amount: 0 } },
      "signal.invalid",
      ["/amount"],
    ],
    ["a name for which no step waits", { name: "shipped" }, "signal.unknown", []],
    ["an id that headers could not have", { id: "é" }, "request.idempotency_key_invalid", []],
    ["a task and a key", { workflow: "paying", businessKey: "k" }, "request.invalid", [""]],
    ["a task and a time to hold it", { holdFor: "1d" }, "request.invalid", [""]],
    ["no name", { name: undefined }, "request.invalid", []],
    [
      "a payload that is too large",
      { payload: { ...payload, x: "x".repeat(66_000) } },
      "request.too_large",
      [],
    ],
  ])(
    "because of %s is dead-lettered, and its sender gets the reason",
    async (_, changes, code, pointers) => {
      const task = await order();
      await send(paid(task, changes as object), { replyTo });
      await dead(1);
      expect(await refusals()).toMatchObject([
        {
          event: "signal-refused",
          code,
          taskId: task,
          correlationId: "their-number",
          errors: pointers.map((pointer) => ({ pointer })),
        },
      ]);
      expect(await signals(task)).toEqual([]);
      expect(logged).toEqual([expect.stringContaining(code)]);
      expect(logged.join()).not.toContain("P-1");
    },
  );

  test("because it is no JSON, or no longer what it says, names what could be read", async () => {
    const task = await order();
    const text = JSON.stringify(paid(task));
    await send(text.slice(0, -1), { replyTo });
    await send(text.replace("240", "0.1234567890123456789012"), { replyTo });
    await send("null", { replyTo });
    await dead(3);
    expect(await refusals()).toMatchObject([
      { code: "request.not_json", name: null, id: null },
      { code: "signal.invalid", name: "paid", id: "evt-1", errors: [{ pointer: "/amount" }] },
      { code: "request.invalid", name: null, id: null },
    ]);
  });

  test("because there is no such task, it is over, or its id stands for another payload says so", async () => {
    const [open, over] = [await order(), await order()];
    await send(paid(open));
    await send(paid(over));
    await has(over, 1);
    await store.fireWaits({ actor: "s-1", most: 100, expected: null });
    const another = { ...payload, amount: 1 };
    const unknown = "019a2b3c-0000-7000-8000-000000000000";
    await send(paid(unknown), { replyTo });
    await send(paid(over, { id: "evt-2" }), { replyTo });
    await send(paid(open, { payload: another }), { replyTo });
    await dead(3);
    const codes = (await refusals()).map(({ code, taskId }) => ({ code, taskId }));
    const expected = [
      { code: "signal.id_reused", taskId: open },
      { code: "signal.too_late", taskId: over },
      { code: "task.unknown", taskId: unknown },
    ];
    expect(codes).toHaveLength(3);
    expect(codes).toEqual(expect.arrayContaining(expected));
    // What comes too late is kept all the same.
    expect(await signals(over)).toMatchObject([{ isLate: false }, { id: "evt-2", isLate: true }]);
  });

  test.each<[string, Properties]>([
    ["names a queue of another application", { replyTo: "status.billing" }],
    ["names a queue, and not who it is", { replyTo, isAnonymous: true }],
  ])("because it %s writes nothing there, and no signal", async (_, properties) => {
    const task = await order();
    await send(paid(task), properties);
    await dead(1);
    expect(await refusals()).toEqual([]);
    expect(await signals(task)).toEqual([]);
    expect(logged).toEqual([expect.stringContaining("access.denied")]);
  });

  test("sends no message if it names no queue", async () => {
    await send(paid(await order(), { name: "shipped" }));
    await dead(1);
    expect(await refusals()).toEqual([]);
  });
});

describe("a signal by business key", () => {
  const byKey = (businessKey: string, more: object = {}) => ({
    workflow: "paying",
    businessKey,
    name: "paid",
    id: "evt-1",
    payload,
    ...more,
  });

  test("goes to the open task of the key", async () => {
    const task = await order({ key: "t-1" });
    await send(byKey("t-1"));
    await has(task, 1);
  });

  test("is held for the task that is still to come, once", async () => {
    for (let count = 0; count < 2; count += 1) await send(byKey("t-2", { holdFor: "1d" }));
    await until(async () => (await query("select from state.mailbox")).length === 1);
    const task = await order({ key: "t-2" });
    await has(task, 1);
    await send(byKey("t-2"));
    await send(byKey("t-2", { id: "evt-2" }));
    await has(task, 2);
  });

  test.each<[string, object, string]>([
    ["there is no such task, and it is not to be held", {}, "task.unknown"],
    ["it is to be held for too long", { holdFor: "31d" }, "request.invalid"],
    ["it is to be held for no time", { holdFor: "soon" }, "request.invalid"],
    ["there is no such workflow", { workflow: "missing", holdFor: "1d" }, "workflow.unknown"],
  ])("is refused where %s", async (_, more, code) => {
    await send(byKey("t-3", more), { replyTo });
    await dead(1);
    expect(await refusals()).toMatchObject([{ code, name: "paid", id: "evt-1" }]);
  });
});

describe("a signal for a task that waits in the inbox", () => {
  const enqueue = async () => {
    const text = "select state.enqueue_submission($1::jsonb)::text as id";
    const submission = { workflow: "paying", input: { order: "7" } };
    const { rows } = await application.query(text, [JSON.stringify(submission)]);
    return (rows[0] as { readonly id: string }).id;
  };
  const makeTasks = () =>
    takeAllIn(
      url,
      takeEnqueued({
        store,
        directory: workflowDirectory(store),
        hint,
        log,
        failpoint: () => {},
        actor: "submission-1",
      }),
    );
  const kept = () =>
    until(async () => (await query("select from state.signal_inbox")).length === 1);

  test("is kept until it is one, and is then handed to it", async () => {
    const task = await enqueue();
    await send(paid(task));
    await kept();
    const take = takeEnqueuedSignals({ store, sender: senderOf(), log });
    await takeAllIn(url, take);
    expect(await query("select claims from state.signal_inbox")).toEqual([{ claims: 0 }]);
    await makeTasks();
    await endLeasesIn(url);
    await takeAllIn(url, take);
    expect(await signals(task)).toMatchObject([
      { id: "evt-1", payload, sentBy: `application:${user}` },
    ]);
    expect(await query("select from state.signal_inbox")).toEqual([]);
  });

  test("is refused in the queue of its sender if it becomes none", async () => {
    const task = await enqueue();
    await send(paid(task), { replyTo });
    await kept();
    await query("update state.inbox set submission = submission - 'input'");
    await makeTasks();
    await takeAllIn(url, takeEnqueuedSignals({ store, sender: senderOf(), log }));
    expect(await refusals()).toMatchObject([
      { code: "task.submission_refused", taskId: task, id: "evt-1", correlationId: "their-number" },
    ]);
  });
});
