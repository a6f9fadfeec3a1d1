import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import { newTask } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import { submitTasks as submitBySql } from "./submit-in-transaction.ts";

let tested: TestApplication;
let store: StateStore;
let supervisor: StateStore;
let otherSupervisor: StateStore;
beforeAll(async () => {
  tested = await openTestApplication();
  ({ store } = tested);
  supervisor = await tested.db.open("supervisor");
  otherSupervisor = await tested.db.open("supervisor");
});
afterAll(async () => {
  await tested[Symbol.asyncDispose]();
});
beforeEach(() => tested.clear());

const task = (changes: Partial<Parameters<typeof newTask>[0]> = {}) =>
  newTask({ workflow: "trip.v1", input: { x: 1 }, key: "order-7", ...changes });
const idempotency = { key: "request-1", hash: "same" };
const submit = async (...tasks: ReturnType<typeof newTask>[]) =>
  store.submitTasks(tasks, { actor: "test" });
const idOf = (submitted: Awaited<ReturnType<typeof submit>>[number] | undefined): string =>
  submitted !== undefined && "taskId" in submitted ? submitted.taskId : "";

const finish = (taskId: string) =>
  tested.db.query(
    `set session_replication_role = replica;
     update state.tasks set process_state = 'processed', finished_at = now() where task_id = '${taskId}';
     reset session_replication_role`,
  );

test("one open task of a workflow has a business key, whatever its version, and the answer names it", async () => {
  const [first] = await submit(task());
  const held = { kind: "held", taskId: idOf(first) };
  expect(await submit(task({ input: { x: 2 } }))).toEqual([held]);
  expect(await submit(task({ workflow: "trip.v10" }))).toEqual([held]);
  expect(await submit(task({ workflow: "later.v1" }))).toMatchObject([{ kind: "created" }]);
  expect(await submit(task({ key: "order-8" }))).toMatchObject([{ kind: "created" }]);
  expect(await tested.count("state.tasks")).toBe(3);
});

test("two tasks of one batch do not share a business key", async () => {
  const [first, second] = await submit(task(), task({ input: { x: 2 } }));
  expect(first).toMatchObject({ kind: "created" });
  expect(second).toEqual({ kind: "held", taskId: idOf(first) });
});

test("of many that submit one business key at a time, one gets it", async () => {
  const others = await Promise.all([tested.db.open("submission"), tested.db.open("submission")]);
  const submitted = await Promise.all(
    Array.from({ length: 24 }, (_, number) =>
      [store, ...others][number % 3]!.submitTasks([task({ input: { x: number } })], {
        actor: "test",
      }),
    ),
  );
  const kinds = submitted.flat().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "created")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "held")).toHaveLength(23);
  expect(new Set(submitted.flat().map(idOf)).size).toBe(1);
});

test("a business key is free once its task has ended", async () => {
  const [first] = await submit(task());
  await finish(idOf(first));
  const [second] = await submit(task());
  expect(second).toMatchObject({ kind: "created" });
  expect(await submit(task())).toEqual([{ kind: "held", taskId: idOf(second) }]);
});

test("a request that is repeated gets its own task, and one that was refused can be sent again", async () => {
  const [first] = await submit(task({ idempotency }));
  expect(await submit(task({ idempotency }))).toEqual([{ kind: "replayed", taskId: idOf(first) }]);
  const other = task({ idempotency: { key: "request-2", hash: "other" } });
  // Both at a time, as a client that repeats itself sends them.
  const held = { kind: "held", taskId: idOf(first) };
  expect(await submit(other, other)).toEqual([held, held]);
  await finish(idOf(first));
  expect(await submit(other)).toMatchObject([{ kind: "created" }]);
});

test("an application's transaction learns which task has the key, and frees it when it is rolled back", async () => {
  const { application } = tested;
  await application.query("begin");
  await submitBySql(application, [{ workflow: "trip", input: { x: 1 }, key: "order-7" }]);
  await application.query("rollback");
  const [first] = await submit(task());
  await expect(
    submitBySql(application, [{ workflow: "trip", input: { x: 1 }, key: "order-7" }]),
  ).rejects.toMatchObject({ code: "task.key_in_use", details: { taskId: idOf(first) } });
});

test("retention deletes the labels and the key of a task with it, and leaves those of others", async () => {
  const labels = { region: "eu", guest: "Ada" };
  const [old, kept] = await submit(task({ key: "a", labels }), task({ key: "b", labels }));
  await tested.db.query(
    `set session_replication_role = replica;
     update state.tasks set process_state = 'processed', finished_at = now() - interval '3 days'
      where task_id = '${idOf(old)}';
     reset session_replication_role`,
  );
  const [month] = await tested.db.query<{ month: string }>(
    "select month::text from state.partitions order by month limit 1",
  );
  const keep = 24 * 60 * 60 * 1_000;
  await supervisor.readClock();
  expect(await supervisor.deleteFinishedTasks({ month: month!.month, keep, batch: 10 })).toBe(1);
  for (const table of ["task_labels", "business_keys"]) {
    const left = await tested.db.query(`select distinct task_id::text as id from state.${table}`);
    expect(left).toEqual([{ id: idOf(kept) }]);
  }
});

test("the Supervisor deletes the keys of tasks that have ended or are gone, and no other", async () => {
  const submitted = await submit(
    ...["a", "b", "c", "d", "e"].map((key) => task({ key, input: { x: 1 } })),
  );
  const [a, b, c] = submitted.map(idOf);
  await finish(a!);
  await finish(c!);
  // Of a task that is gone: it was submitted long ago.
  await tested.db.query(
    "insert into state.business_keys values ('default', 'trip', 'z', state.first_id_of(now() - interval '2 days'))",
  );
  // And one whose task is not visible yet.
  await tested.db.query(
    "insert into state.business_keys values ('default', 'trip', 'y', state.new_task_id())",
  );
  // A store that repeats a statement finds other keys in its batch; all keys are looked at all the
  // same.
  let looks = 1;
  while (!(await supervisor.deleteFreeBusinessKeys({ batch: 2 })).isLast && looks < 20) looks += 1;
  expect(looks).toBeGreaterThan(2);
  const left = await tested.db.query("select key from state.business_keys order by key");
  expect(left).toEqual(["b", "d", "e", "y"].map((key) => ({ key })));
  expect(await submit(task({ key: "b" }))).toEqual([{ kind: "held", taskId: b }]);
});

/** Open tasks' keys, which no look deletes, and after them the key of a task that is gone. */
const fillKeys = async (open: number): Promise<void> => {
  const [first] = await submit(task({ key: null }));
  await tested.db.query(
    `insert into state.business_keys
     select 'default', 'trip', 'open-' || lpad(number::text, 6, '0'), $1 from generate_series(1, $2::integer) as number`,
    [idOf(first), open],
  );
  await tested.db.query(
    "insert into state.business_keys values ('default', 'trip', 'z-gone', state.first_id_of(now() - interval '2 years'))",
  );
};
const hasGoneKey = async (): Promise<boolean> =>
  (await tested.db.query("select from state.business_keys where key = 'z-gone'")).length > 0;

test("a look at business keys goes on where the one before stopped, in whichever process", async () => {
  await fillKeys(30);
  await tested.db.query("update state.business_key_sweep set (tenant, family, key) = ('', '', '')");
  // Each run of cron is a process of its own.
  for (let looks = 0; (await hasGoneKey()) && looks < 7; looks += 1) {
    await (looks % 2 === 0 ? supervisor : otherSupervisor).deleteFreeBusinessKeys({ batch: 5 });
  }
  expect(await hasGoneKey()).toBe(false);
  expect(await tested.count("state.business_keys")).toBe(30);
  await submit(task({ key: "a-ended" }));
  await tested.db.query(
    `set session_replication_role = replica;
     update state.tasks set process_state = 'processed', finished_at = now() where business_key = 'a-ended';
     reset session_replication_role`,
  );
  // After the last key it begins anew.
  for (let looks = 0; (await tested.count("state.business_keys")) === 31 && looks < 8; looks += 1) {
    await supervisor.deleteFreeBusinessKeys({ batch: 5 });
  }
  expect(await tested.count("state.business_keys")).toBe(30);
});

test("while one Supervisor looks at business keys, another one waits for its next turn", async () => {
  await fillKeys(1);
  const { db } = tested;
  await db.query("begin; select from state.business_key_sweep for update");
  try {
    const looked = await supervisor.deleteFreeBusinessKeys({ batch: 5 });
    expect(looked).toEqual({ deleted: 0, isLast: true });
  } finally {
    await db.query("commit");
  }
});

const monthsAgo = "state.first_id_of(now() - interval '5 months')";

test("the key of a task that went with its month is free, for the service and in a transaction", async () => {
  for (const key of ["service", "sql"]) {
    await tested.db.query(
      `insert into state.business_keys values ('default', 'trip', '${key}', ${monthsAgo})`,
    );
  }
  expect(await submit(task({ key: "service" }))).toMatchObject([{ kind: "created" }]);
  expect(await submit(task({ key: "service" }))).toMatchObject([{ kind: "held" }]);
  const bySql = { workflow: "trip", input: { x: 1 }, key: "sql" };
  await submitBySql(tested.application, [bySql]);
  await expect(submitBySql(tested.application, [bySql])).rejects.toMatchObject({
    code: "task.key_in_use",
  });
});

test("the key of a task that a statement does not see is in use, unless its month is gone", async () => {
  const keys = {
    // Another transaction may just have written it.
    today: "state.new_task_id()",
    "this month": "state.first_id_of(state.month_of(now()))",
    // Its month may have been made a moment ago.
    later: "state.first_id_of(now() + interval '5 months')",
  };
  for (const [key, taskId] of Object.entries(keys)) {
    await tested.db.query(
      `insert into state.business_keys values ('default', 'trip', $1, ${taskId})`,
      [key],
    );
    expect(await submit(task({ key }))).toMatchObject([{ kind: "held" }]);
  }
});

test("the key of a submission that waits in the inbox stays its own, however long that takes", async () => {
  const asked = { workflow: "trip", input: { x: 1 }, key: "order-7" };
  await submitBySql(tested.application, [asked]);
  for (const age of ["2 days", "400 days"]) {
    await tested.db.query(
      `with old as materialized (select state.first_id_of(clock_timestamp() - interval '${age}') as id),
            named as (update state.business_keys set task_id = (select id from old))
       update state.inbox set task_id = (select id from old)`,
    );
    await supervisor.deleteFreeBusinessKeys({ batch: 100 });
    expect(await submit(task())).toMatchObject([{ kind: "held" }]);
    await expect(submitBySql(tested.application, [asked])).rejects.toMatchObject({
      code: "task.key_in_use",
    });
  }
});

test("a business key leads to the task that has it, or had it last, whichever version and role", async () => {
  const asked = { tenant: "default", family: "trip", key: "order-7" };
  const found = async (changes: object = {}) => {
    const request = { ...asked, ...changes };
    const [one, other] = [
      await store.findTaskByKey(request),
      await tested.operations.findTaskByKey(request),
    ];
    expect(one).toBe(other);
    return one;
  };
  expect(await found()).toBeNull();
  const [first] = await submit(task());
  expect(await found()).toBe(idOf(first));
  expect(await found({ family: "later" })).toBeNull();
  expect(await found({ key: "order-8" })).toBeNull();
  expect(await found({ tenant: "other" })).toBeNull();
  await finish(idOf(first));
  expect(await found()).toBe(idOf(first));
  const [second] = await submit(task({ workflow: "trip.v10" }));
  await submit(task({ workflow: "later.v1" }));
  expect(await found()).toBe(idOf(second));
  await finish(idOf(second));
  while (!(await supervisor.deleteFreeBusinessKeys({ batch: 100 })).isLast);
  expect(await tested.count("state.business_keys")).toBe(1);
  expect(await found()).toBe(idOf(second));
});

test("a business key leads to the task that a transaction submitted from its commit on", async () => {
  const { taskId } = await tested.book({ workflow: "trip", input: { x: 1 }, key: "order-7" });
  expect(await store.findTaskByKey({ tenant: "default", family: "trip", key: "order-7" })).toBe(
    taskId,
  );
});
