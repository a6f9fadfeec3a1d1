import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { newTask, openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

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
    "truncate state.submissions, state.tasks, state.steps, state.events, state.task_payloads",
  );
});

const actor = "submission-1";
const keyed = (key: string, hash = "h") => newTask({ idempotency: { key, hash } });
const count = async (table: string) =>
  (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n;

test("a submission writes a task, its input and all its steps together", async () => {
  await store.submitTasks([newTask()], { actor });
  expect(
    await db.query("select name, process_state, attempt from state.steps order by name"),
  ).toEqual([
    { name: "a", process_state: "pending", attempt: 0 },
    { name: "b", process_state: "waiting", attempt: 0 },
  ]);
  const joined = await db.query(
    "select input, action from state.tasks join state.task_payloads using (task_id) join state.events using (task_id)",
  );
  expect(joined).toEqual([{ input: { x: 1 }, action: "submit" }]);
});

test("a submission writes nothing if any part of it is refused", async () => {
  const impossible = newTask({ priority: "high" as "urgent" });
  await expect(store.submitTasks([newTask(), impossible], { actor })).rejects.toMatchObject({
    code: "store.refused",
  });
  expect(await count("state.tasks")).toBe(0);
  expect(await count("state.task_payloads")).toBe(0);
  expect(await count("state.steps")).toBe(0);
});

test("a submission gets the same answer for the same key and content, and is refused for another content", async () => {
  const [first] = await store.submitTasks([keyed("k")], { actor });
  const [again] = await store.submitTasks([keyed("k")], { actor });
  const [other] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(again).toEqual({ ...first, kind: "replayed" });
  expect(other).toEqual({ kind: "conflict" });
  expect(await count("state.tasks")).toBe(1);
});

test("what asks only whether it is a repetition makes no task, and finds the one of its key and content", async () => {
  const ask = (hash: string) => ({ ...keyed("again", hash), onlyRepeats: true, input: null });
  const kinds = async (...asked: ReturnType<typeof newTask>[]) =>
    (await store.submitTasks(asked, { actor })).map(({ kind }) => kind);
  expect(await kinds(ask("h"))).toEqual(["conflict"]);
  expect(await count("state.tasks")).toBe(0);
  expect(await count("state.submissions")).toBe(0);
  const [made] = await store.submitTasks([keyed("again")], { actor });
  expect(made?.kind).toBe("created");
  expect(await store.submitTasks([ask("h"), ask("other")], { actor })).toEqual([
    { ...made, kind: "replayed" },
    { kind: "conflict" },
  ]);
  expect(await count("state.tasks")).toBe(1);
});

test("a hundred simultaneous submissions with one key make one task", async () => {
  const submissions = Array.from({ length: 100 }, (_, index) =>
    store.submitTasks([keyed(`k${index % 4}`)], { actor }),
  );
  const results = (await Promise.all(submissions)).flat();
  expect(results.filter(({ kind }) => kind === "created")).toHaveLength(4);
  expect(results.filter(({ kind }) => kind === "replayed")).toHaveLength(96);
  expect(await count("state.tasks")).toBe(4);
  expect(await count("state.steps")).toBe(8);
});

test("an idempotency key is deleted after a day", async () => {
  await store.submitTasks([keyed("k")], { actor });
  await db.query("update state.submissions set expires_at = now()");
  const [later] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(later).toMatchObject({ kind: "created" });
  const [again] = await store.submitTasks([keyed("k", "other")], { actor });
  expect(again).toEqual({ ...later, kind: "replayed" });
});

test("an idempotency key is kept for as long as the settings say, and then deleted", async () => {
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

test("equal keys of different tenants are different keys", async () => {
  const mine = await store.submitTasks([keyed("k")], { actor });
  const theirs = await store.submitTasks([{ ...keyed("k"), tenant: "other" }], { actor });
  expect([...mine, ...theirs].map(({ kind }) => kind)).toEqual(["created", "created"]);
});

test("a submission is refused if its workflow is not stored", async () => {
  await expect(
    store.submitTasks([newTask({ workflow: "no.v1" })], { actor }),
  ).rejects.toMatchObject({
    code: "workflow.unknown",
  });
});

test("the store keeps a definition once, and refuses another one with its name", async () => {
  const definition = testWorkflow([{ name: "a" }, { name: "b" }]);
  await store.registerWorkflow({ ...definition });
  await expect(store.registerWorkflow({ ...definition, output: 1 })).rejects.toMatchObject({
    code: "workflow.changed",
  });
});

/** A definition whose input schema says of one field what a library prints. */
const printed = (nickname: Json): WorkflowDefinition => ({
  ...testWorkflow([{ name: "a" }, { name: "b" }]),
  name: "printed.v1",
  inputSchema: { type: "object", required: ["id", "nickname"], properties: { nickname } },
});

test("the store keeps no second definition if a newer library only prints its schema differently", async () => {
  const before = printed({ anyOf: [{ type: "string" }, { type: "null" }] });
  await store.registerWorkflow(before);
  await store.registerWorkflow(printed({ type: ["string", "null"], title: "Nickname" }));
  expect((await store.findWorkflow("printed.v1"))?.definition).toEqual(before);
  await expect(store.registerWorkflow(printed({ type: "string" }))).rejects.toMatchObject({
    code: "workflow.changed",
  });
});

test("task ids are ordered by the store's time, on every version of Postgres", async () => {
  const ids = await db.query<{ id: string }>(
    "select state.new_task_id()::text as id, pg_sleep(0.003) from generate_series(1, 20)",
  );
  const texts = ids.map(({ id }) => id);
  expect(texts.toSorted()).toEqual(texts);
  expect(texts.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/.test(id))).toBe(true);
});
