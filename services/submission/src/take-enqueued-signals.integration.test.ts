import { SignalRefused } from "@holdfast/contracts";
import { Fault, PermanentFault } from "@holdfast/domain";
import { queryOnce } from "@holdfast/local-stack";
import {
  listenToInbox,
  openStateStore,
  type SentInTransaction,
  type StateStore,
  signalTask,
  submitTasks,
  type TransactionClient,
} from "@holdfast/state-store";
import { migratedDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { inTransaction, openApplication } from "../test/application.ts";
import { paying } from "../test/paying.ts";
import { serve } from "../test/serve.ts";
import { findTasks } from "./find-tasks.ts";
import { signalSender } from "./send-signal.ts";
import { takeEnqueued } from "./take-enqueued.ts";
import { takeEnqueuedSignals } from "./take-enqueued-signals.ts";
import { workflowDirectory } from "./workflow-directory.ts";

const resources = new AsyncDisposableStack();
let url: string;
let store: StateStore;
let application: TransactionClient;
let app: ReturnType<typeof serve>;
let hints = 0;

beforeAll(async () => {
  url = resources.use(await migratedDatabase()).url;
  store = resources.use(await openStateStore({ url, applicationName: "test", maxConnections: 6 }));
  await store.registerWorkflow(paying);
  application = await openApplication(url, "shop");
  app = resources.use(serve(store, {}));
});
afterAll(async () => {
  await resources.disposeAsync();
});
beforeEach(async () => {
  hints = 0;
  await query(
    "truncate state.outbox, state.inbox, state.signal_inbox, state.signal_refusals, state.instances",
  );
});

const query = <Row extends object>(sql: string) => queryOnce<Row>(url, sql);
const payload = { paymentId: "P-1", amount: 240 };
const hint = () => {
  hints += 1;
};
const log = { warn: () => {}, error: () => {} };

type Store = Parameters<typeof takeEnqueuedSignals>[0]["store"];

/** A process of submission, of which each call is one look. */
function process(used: Partial<Store & Pick<StateStore, "sendSignals">> = {}) {
  const own = { ...store, ...used };
  const directory = workflowDirectory(store);
  const sender = signalSender({ store: own, directory, tasks: findTasks(store), hint });
  return takeEnqueuedSignals({ store: own, sender, log });
}

const endLeases = () => query("update state.signal_inbox set leased_until = null");

/**
 * All that waits is handed over, or refused. What a look took whose answer was lost is free again.
 */
async function takeAll(take = process()): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await take().catch(async (error: unknown) => {
      if (!(error instanceof Fault && error.transient)) throw error;
      await endLeases();
      return true;
    });
  }
}

async function order(): Promise<string> {
  const body = { workflow: "paying", input: { order: "7" } };
  const response = await app.inject({ method: "POST", url: "/v1/tasks", payload: body });
  return response.json<{ id: string }>().id;
}

const send = (taskId: string, more: Partial<SentInTransaction> = {}, by = application) =>
  signalTask(by, { taskId, name: "paid", id: "evt-1", payload, ...more });
const signals = (taskId: string) => store.listSignals({ taskId });
const refusals = async (by = application) =>
  (
    await by.query(
      "select task_id::text as task, name, signal_id as id, code, errors from state.refused_signals order by at",
      [],
    )
  ).rows;
const waiting = () => query<{ claims: number }>("select claims from state.signal_inbox");

test("a signal in a transaction is handed to its task after the commit, in the name of its application", async () => {
  const task = await order();
  await inTransaction(url, "shop", async (client) => {
    await send(task, {}, client);
    expect(await waiting()).toEqual([]);
  });
  await takeAll();
  expect(await signals(task)).toMatchObject([
    { name: "paid", id: "evt-1", payload, sentBy: expect.stringMatching(/^application:shop/) },
  ]);
  expect([hints, await waiting(), await refusals()]).toEqual([1, [], []]);
  await store.fireWaits({ actor: "s-1", most: 100, expected: null });
  expect((await app.inject({ url: `/v1/tasks/${task}` })).json()).toMatchObject({ result: "P-1" });
});

test("a signal in a transaction that is rolled back was never sent", async () => {
  const task = await order();
  const giveUp = new Error("give up");
  await expect(
    inTransaction(url, "shop", async (client) => {
      await send(task, {}, client);
      throw giveUp;
    }),
  ).rejects.toBe(giveUp);
  await takeAll();
  expect(await signals(task)).toEqual([]);
});

test("a signal for a task of the same transaction waits until that is a task", async () => {
  let task = "";
  await inTransaction(url, "shop", async (client) => {
    const asked = { workflow: "paying", input: { order: "7" } };
    const [submitted] = await submitTasks(client, [asked]);
    task = submitted!.taskId;
    await send(task, {}, client);
  });
  await takeAll();
  expect(await waiting()).toEqual([{ claims: 0 }]);
  const made = { store, directory: workflowDirectory(store), hint, log, failpoint: () => {} };
  const make = takeEnqueued({ ...made, actor: "submission-1" });
  while ((await query("select from state.inbox")).length > 0) {
    await make().catch((error: unknown) => {
      if (!(error instanceof Fault && error.transient)) throw error;
      return query("update state.inbox set leased_until = null");
    });
  }
  await takeAll();
  expect(await signals(task)).toMatchObject([{ id: "evt-1", payload }]);
});

test("a signal that is sent twice is the same signal", async () => {
  const task = await order();
  await send(task);
  await send(task);
  await takeAll();
  await send(task);
  await takeAll();
  expect(await signals(task)).toHaveLength(1);
  expect([await waiting(), await refusals()]).toEqual([[], []]);
});

test("a signal whose process ended after its task had it is handed over again, and is one", async () => {
  const task = await order();
  await send(task);
  const dying = process({ deleteEnqueuedSignals: () => Promise.reject(new TypeError("a bug")) });
  for (let isGone = false; !isGone; ) {
    isGone = await dying().then(
      () => false,
      (error: unknown) => error instanceof TypeError,
    );
    await endLeases();
  }
  expect(await signals(task)).toHaveLength(1);
  expect(await waiting()).toHaveLength(1);
  await takeAll();
  expect(await signals(task)).toHaveLength(1);
  expect(await waiting()).toEqual([]);
});

describe("a signal that is refused", () => {
  test.each<[string, Partial<SentInTransaction>, string, readonly string[]]>([
    ["its payload", { payload: { ...payload, amount: 0 } }, "signal.invalid", ["/amount"]],
    ["a name for which no step waits", { name: "shipped" }, "signal.unknown", []],
    ["an id that headers could not have", { id: "é" }, "request.idempotency_key_invalid", []],
    [
      "a payload that is too large",
      { payload: { ...payload, x: "x".repeat(66_000) } },
      "request.too_large",
      [],
    ],
    [
      "a payload that is too deep",
      { payload: JSON.parse("[".repeat(60) + "]".repeat(60)) },
      "signal.invalid",
      [""],
    ],
  ])(
    "because of %s says so in a row and in the queue of its sender",
    async (_, more, code, pointers) => {
      const task = await order();
      const [good, other] = [await order(), await openApplication(url, "billing")];
      await send(task, { ...more, replyTo: "status.shop", correlationId: "order-7" });
      await send(good);
      await takeAll();
      const errors = pointers.map((pointer) => ({ pointer }));
      expect(await refusals()).toMatchObject([{ task, code, errors }]);
      expect(await refusals(other)).toEqual([]);
      const [sent, ...rest] = await query<{ address: string; body: object }>(
        "select address, body from state.outbox where channel = 'status'",
      );
      expect([sent?.address, rest]).toEqual(["status.shop", []]);
      expect(SignalRefused.decode(Buffer.from(JSON.stringify(sent?.body)))).toMatchObject({
        code,
        taskId: task,
        correlationId: "order-7",
      });
      expect([await signals(task), await waiting()]).toEqual([[], []]);
      expect(await signals(good)).toHaveLength(1);
    },
  );

  test("because it came too late is kept with its task, and raises an alert", async () => {
    const task = await order();
    await send(task);
    await takeAll();
    await store.fireWaits({ actor: "s-1", most: 100, expected: null });
    await send(task, { id: "evt-2", replyTo: "task.signals" });
    await takeAll();
    expect(await refusals()).toMatchObject([{ task, code: "signal.too_late", id: "evt-2" }]);
    expect(await signals(task)).toMatchObject([{ isLate: false }, { isLate: true }]);
    expect(await query("select kind from state.alerts")).toEqual([{ kind: "signal.too_late" }]);
    // No queue of Holdfast itself is one of a sender.
    expect(await query("select from state.outbox where channel = 'status'")).toEqual([]);
  });
});

describe("a transaction is refused", () => {
  test.each<[string, Partial<SentInTransaction>, string]>([
    [
      "where there is no such task",
      { taskId: "019a2b3c-0000-7000-8000-000000000000" },
      "task.unknown",
    ],
    ["because of a payload of megabytes", { payload: "x".repeat(300_000) }, "signal.invalid"],
    ["because of an empty name", { name: "" }, "signal.invalid"],
    ["because of an id without end", { id: "x".repeat(301) }, "signal.invalid"],
  ])("%s", async (_, more, code) => {
    await expect(send(await order(), more)).rejects.toMatchObject({ code });
    expect(await waiting()).toEqual([]);
  });

  test("of an application that is none", async () => {
    const task = await order();
    await query(
      "do $$ begin create role stranger login password 'x'; exception when others then null; end $$",
    );
    const stranger = new URL(url);
    [stranger.username, stranger.password] = ["stranger", "x"];
    const client = {
      query: async (text: string, values: unknown[]) => ({
        rows: await queryOnce(stranger.href, text, values),
      }),
    };
    await expect(send(task, {}, client)).rejects.toThrow(/permission denied/);
    expect(await waiting()).toEqual([]);
  });
});

test("what fails whenever it is handed over is refused, and holds none of the others back", async () => {
  const [broken, good] = [await order(), await order()];
  await send(broken);
  await send(good);
  const sendSignals: StateStore["sendSignals"] = async (sent) => {
    if (sent.some(({ taskId }) => taskId === broken))
      throw new PermanentFault("store.refused", "x");
    return store.sendSignals(sent);
  };
  await takeAll(process({ sendSignals }));
  expect(await refusals()).toMatchObject([{ task: broken, code: "request.failed" }]);
  expect(await signals(good)).toHaveLength(1);
});

test("callers take turns, and a process that died leaves what it took to others", async () => {
  const [task, many] = [await order(), await openApplication(url, "many")];
  for (let count = 0; count < 6; count += 1) await send(task, { id: `m-${count}` }, many);
  for (const id of ["s-0", "s-1"]) await send(task, { id });
  const asked = { lease: 60_000, mostLeases: 1, mostBytes: 1_000_000, most: 4 };
  const claimed = await retried(() => store.claimEnqueuedSignals(asked));
  expect(claimed.map(({ signalId }) => signalId).toSorted()).toEqual(["m-0", "m-1", "s-0", "s-1"]);
  await endLeases();
  await takeAll();
  expect(await signals(task)).toHaveLength(8);
});

/** Repeats what only asks, where a connection broke. */
async function retried<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Fault && error.transient)) throw error;
      await endLeases();
    }
  }
}

test("a process is woken for a signal, unless one waits already", async () => {
  const [task, listening, ending] = [
    await order(),
    Promise.withResolvers<void>(),
    new AbortController(),
  ];
  let [wakes, woken] = [0, Promise.withResolvers<void>()];
  const channel = "woken_for_signals";
  const ended = listenToInbox({
    url,
    applicationName: "submission-1",
    channel,
    signal: ending.signal,
    onListening: () => listening.resolve(),
    onEnqueued() {
      wakes += 1;
      woken.resolve();
    },
  });
  await listening.promise;
  const me = { service: "submission", instance: "submission-1", version: "1" } as const;
  await store.recordInstance({ ...me, slots: null, takesEnqueued: true, inboxChannel: channel });
  await send(task);
  await woken.promise;
  woken = Promise.withResolvers<void>();
  await send(task, { id: "evt-2" });
  await takeAll();
  await send(task, { id: "evt-3" });
  await woken.promise;
  expect(wakes).toBe(2);
  ending.abort();
  await ended;
});
