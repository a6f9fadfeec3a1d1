import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { StateStore } from "./open-state-store.ts";
import { newTask, openTestStore, type TestStore, testWorkflow } from "./testing.ts";

let db: TestStore;
let store: StateStore;
beforeAll(async () => {
  db = await openTestStore();
  store = await db.open("submission");
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query(
    "truncate state.submissions, state.tasks, state.steps, state.events, state.task_payloads, orders.orders, orders.order_lines",
  );
});

const actor = "submission-1";
const order = {
  customer: "c",
  currency: "EUR",
  total: 30,
  lines: [{ sku: "a", quantity: 3, unitPrice: 10 }],
};
const keyed = (key: string, hash = "h") => newTask({ idempotency: { key, hash }, order });
const count = async (table: string) =>
  (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n;

test("writes order, task and all steps down together", async () => {
  await store.submitTasks([newTask({ order })], { actor });
  expect(
    await db.query("select name, process_state, attempt from state.steps order by name"),
  ).toEqual([
    { name: "a", process_state: "pending", attempt: 0 },
    { name: "b", process_state: "waiting", attempt: 0 },
  ]);
  const joined = await db.query(
    "select 1 from orders.orders join state.tasks on task_id = order_id join orders.order_lines using (order_id)",
  );
  expect(joined).toHaveLength(1);
});

test("writes nothing when any of it is refused", async () => {
  const impossible = { ...order, total: -1 };
  await expect(
    store.submitTasks([newTask({ order: impossible })], { actor }),
  ).rejects.toMatchObject({
    code: "store.refused",
  });
  expect(await count("state.tasks")).toBe(0);
  expect(await count("state.steps")).toBe(0);
});

test("gives the same answer to the same key and content, and refuses another content", async () => {
  const [first] = await store.submitTasks([keyed("k")], { actor });
  const [again] = await store.submitTasks([keyed("k")], { actor });
  const [other] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(again).toEqual({ ...first, kind: "replayed" });
  expect(other).toEqual({ kind: "conflict" });
  expect(await count("state.tasks")).toBe(1);
});

test("makes one task of a hundred that come at once with the same key", async () => {
  const submissions = Array.from({ length: 100 }, (_, index) =>
    store.submitTasks([keyed(`k${index % 4}`)], { actor }),
  );
  const results = (await Promise.all(submissions)).flat();
  expect(results.filter(({ kind }) => kind === "created")).toHaveLength(4);
  expect(results.filter(({ kind }) => kind === "replayed")).toHaveLength(96);
  expect(await count("state.tasks")).toBe(4);
  expect(await count("orders.orders")).toBe(4);
});

test("forgets a key after a day", async () => {
  await store.submitTasks([keyed("k")], { actor });
  await db.query("update state.submissions set expires_at = now()");
  const [later] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(later).toMatchObject({ kind: "created" });
  const [again] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(again).toEqual({ ...later, kind: "replayed" });
});

test("keeps a key for as long as it is told to, and then forgets it", async () => {
  const keepFor = 30 * 24 * 60 * 60 * 1_000;
  const lasting = newTask({ idempotency: { key: "m", hash: "h", keepFor } });
  const [first] = await store.submitTasks([lasting, keyed("k")], { actor });
  const pass = (interval: string) =>
    db.query("update state.submissions set expires_at = expires_at - $1::interval", [interval]);
  await pass("29 days 23 hours");
  const supervisor = await db.open("supervisor");
  expect(await supervisor.deleteExpiredKeys({ batch: 10 })).toBe(1);
  const [redelivered] = await store.submitTasks([lasting], { actor });
  expect(redelivered).toEqual({ ...first, kind: "replayed" });
  await pass("2 hours");
  const [later] = await store.submitTasks([lasting], { actor });
  expect(later).toMatchObject({ kind: "created" });
});

test("tells keys of different tenants apart", async () => {
  const mine = await store.submitTasks([keyed("k")], { actor });
  const theirs = await store.submitTasks([{ ...keyed("k"), tenant: "other" }], { actor });
  expect([...mine, ...theirs].map(({ kind }) => kind)).toEqual(["created", "created"]);
});

test("refuses a workflow that is not stored", async () => {
  await expect(
    store.submitTasks([newTask({ workflow: "no.v1" })], { actor }),
  ).rejects.toMatchObject({
    code: "workflow.unknown",
  });
});

test("stores a definition once, and refuses another one of that name", async () => {
  const definition = testWorkflow([{ name: "a" }, { name: "b" }]);
  await store.registerWorkflow({ ...definition });
  await expect(store.registerWorkflow({ ...definition, output: 1 })).rejects.toMatchObject({
    code: "workflow.changed",
  });
});

test("makes ids that order by the store's time, on every version of Postgres", async () => {
  const ids = await db.query<{ id: string }>(
    "select state.new_task_id()::text as id, pg_sleep(0.003) from generate_series(1, 20)",
  );
  const texts = ids.map(({ id }) => id);
  expect(texts.toSorted()).toEqual(texts);
  expect(texts.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/.test(id))).toBe(true);
});
