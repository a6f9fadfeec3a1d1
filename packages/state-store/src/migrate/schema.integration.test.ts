import { testDatabase } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { openStateStore } from "../open-state-store.ts";
import { migrate } from "./migrate.ts";

let db: TestStore;
beforeAll(async () => {
  db = await openTestStore();
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query("truncate state.tasks, state.steps, state.events, state.task_payloads");
});

const open = () => openStateStore({ url: db.url, applicationName: "test", maxConnections: 2 });

test("migrating again changes nothing, even under load", async () => {
  const [store, scheduler] = await Promise.all([db.open("submission"), db.open("scheduler")]);
  await store.registerWorkflow(testWorkflow([{ name: "a" }]));
  const work = async (): Promise<void> => {
    await store.submitTasks([newTask(), newTask()], { actor: "test" });
    for (const claim of await claimAll(scheduler)) {
      const { taskId } = claim;
      await scheduler.applyEvents([{ taskId, event: completed(claim), output: {} }], {
        actor: "test",
      });
    }
  };
  const migrating = Array.from({ length: 6 }, () => migrate(db.url));
  const [ran] = await Promise.all([
    Promise.all(migrating),
    Promise.all(Array.from({ length: 10 }, work)),
  ]);
  expect(ran.flat()).toEqual([]);
  while ((await claimAll(scheduler)).length > 0) await work();
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test.each([
  ["newer than it can read", "oldest_reader = 1000, schema_version = 1000", "update this service"],
  ["older than it needs", "schema_version = 0", "run the migrations"],
])("a release refuses a schema that is %s, and says so", async (_, change, remedy) => {
  const [before] = await db.query<{ schema_version: number; oldest_reader: number }>(
    "select schema_version, oldest_reader from state.compatibility",
  );
  await db.query(`update state.compatibility set ${change}`);
  await expect(open()).rejects.toMatchObject({
    code: "store.incompatible",
    message: expect.stringContaining(remedy),
  });
  await db.query("update state.compatibility set schema_version = $1, oldest_reader = $2", [
    before?.schema_version,
    before?.oldest_reader,
  ]);
});

test("the error about a database without a state store says so, and what to do", async () => {
  await using empty = await testDatabase();
  const options = { applicationName: "test", maxConnections: 1 };
  await expect(openStateStore({ ...options, url: empty.url })).rejects.toMatchObject({
    code: "store.not_migrated",
    message: expect.stringContaining("run the migrations"),
  });
});

test.each([
  ["is empty", ""],
  ["is no URL", "localhost"],
])("a URL of the state store that %s is refused in one sentence", async (_, url) => {
  const options = { applicationName: "test", maxConnections: 1 };
  await expect(openStateStore({ ...options, url })).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringMatching(/^STATE_STORE_URL must be a Postgres URL such as \S+$/),
  });
});

test("a release accepts a newer schema that declares itself compatible", async () => {
  await db.query("update state.compatibility set schema_version = schema_version + 1");
  await using store = await open();
  await store.ping();
  await db.query("update state.compatibility set schema_version = schema_version - 1");
});

test("every instant has a time zone, and no row counter can run out", async () => {
  const narrow = await db.query(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'state'
        and table_name not in ('migrations', 'partitions')
        and (data_type in ('timestamp without time zone', 'date', 'time without time zone')
             or (is_identity = 'YES' and data_type <> 'bigint'))`,
  );
  expect(narrow).toEqual([]);
});

test("the view order_process shows each step as the pattern's own record", async () => {
  await using store = await open();
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }], "record.v1"));
  const [task] = await store.submitTasks([newTask({ workflow: "record.v1" })], { actor: "test" });
  const id = (task as { readonly taskId: string }).taskId;
  const record = async (step: string) =>
    (await db.query(`select * from state.order_process where "Step" = $1`, [step]))[0];
  const unlocked = { OrderID: id, LockedBy: null, CompleteBy: null };
  const fresh = { ...unlocked, ProcessState: "Pending", FailureCount: 0 };
  expect(await record("a")).toEqual({ ...fresh, Step: "a" });
  expect(await record("b")).toEqual({ ...fresh, Step: "b" });

  const [claim] = await claimAll(store, "scheduler-1");
  expect(await record("a")).toMatchObject({
    LockedBy: "scheduler-1",
    CompleteBy: expect.any(Date),
    ProcessState: "Processing",
  });

  await store.applyEvents([{ taskId: id, event: failed(claim!) }], { actor: "test" });
  expect(await record("a")).toMatchObject({
    ...unlocked,
    ProcessState: "Pending",
    FailureCount: 1,
  });

  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  await store.stageDueSteps();
  const [again] = await claimAll(store);
  await store.applyEvents([{ taskId: id, event: completed(again!), output: {} }], {
    actor: "test",
  });
  expect(await record("a")).toMatchObject({ ...unlocked, ProcessState: "Processed" });
});

test("open tasks keep their workflow if its next version changes the steps", async () => {
  await using store = await open();
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }], "trip.v1"));
  await store.submitTasks(
    Array.from({ length: 50 }, () => newTask({ workflow: "trip.v1" })),
    { actor: "test" },
  );
  const halfway = await claimAll(store);
  const reportedEvents = (claims: typeof halfway) =>
    claims.map((claim) => ({ taskId: claim.taskId, event: completed(claim), output: {} }));
  await store.applyEvents(reportedEvents(halfway.slice(0, 25)), { actor: "test" });
  await store.registerWorkflow(
    testWorkflow([{ name: "first" }, { name: "b" }, { name: "last" }], "trip.v2"),
  );
  await store.submitTasks(
    Array.from({ length: 50 }, () => newTask({ workflow: "trip.v2" })),
    { actor: "test" },
  );
  await store.applyEvents(reportedEvents(halfway.slice(25)), { actor: "test" });
  for (let claims = await claimAll(store); claims.length > 0; claims = await claimAll(store)) {
    await store.applyEvents(reportedEvents(claims), { actor: "test" });
  }
  const ends = await db.query(
    `select workflow, tasks.process_state, string_agg(distinct name, ' ' order by name) as steps,
            count(distinct task_id)::int as tasks
       from state.tasks join state.steps using (task_id) group by 1, 2 order by 1`,
  );
  expect(ends).toEqual([
    { workflow: "trip.v1", process_state: "processed", steps: "a b", tasks: 50 },
    { workflow: "trip.v2", process_state: "processed", steps: "b first last", tasks: 50 },
  ]);
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("no index of tasks has a column that changes before the last decision", async () => {
  const columns = await db.query<{ attname: string }>(
    `select distinct attname
       from pg_index
       join pg_attribute on attrelid = indrelid
        and (attnum = any (indkey) or pg_get_expr(indpred, indrelid) ~ ('\\m' || attname || '\\M'))
      where indrelid = 'state.tasks'::regclass
      order by attname`,
  );
  expect(columns.map(({ attname }) => attname)).toEqual([
    "business_key",
    "complete_by",
    "correlation_id",
    "created_at",
    "finished_at",
    "task_id",
  ]);
});
