import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Client } from "pg";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import { claimAll, completed, newTask, type TestStore } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import { submitTasks } from "./submit-in-transaction.ts";

let tested: TestApplication;
let db: TestStore;
let store: StateStore;
let operations: StateStore;
let application: Client;
beforeAll(async () => {
  tested = await openTestApplication();
  ({ db, store, operations, application } = tested);
});
afterAll(async () => {
  await tested[Symbol.asyncDispose]();
});
beforeEach(() => tested.clear());

const count = (table: string) => tested.count(table);

test("a task and the rows of its application are submitted in one transaction, or neither is", async () => {
  const { taskId } = await tested.book({ workflow: "trip.v1", input: { x: 1 } });
  // From the commit on it is known by its id.
  const waiting = await store.findTask({ taskId, tenant: "default" });
  expect(waiting).toMatchObject({ workflow: "trip.v1", processState: "pending", steps: [] });
  expect(await tested.makeTasks()).toEqual([{ kind: "created", taskId }]);
  const joined = await db.query(
    "select guest, process_state from public.bookings join state.tasks using (task_id)",
  );
  expect(joined).toEqual([{ guest: "Ada", process_state: "pending" }]);
  await expect(tested.book({ workflow: "trip.v1", input: { x: 1 } }, null)).rejects.toThrow(
    "not-null",
  );
  expect(await tested.makeTasks()).toEqual([]);
  expect(await count("state.tasks")).toBe(1);
  expect(await count("state.steps")).toBe(2);
  expect(await count("state.events")).toBe(1);
});

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("a task goes on with the trace of its application, in that transaction alone", async () => {
  const tasks = [{ workflow: "trip.v1", input: { x: 1 }, replyTo: "status.shop" }];
  await application.query("begin");
  await submitTasks(application, tasks, { traceparent });
  await submitTasks(application, tasks);
  await application.query("commit");
  await application.query("begin");
  await application.query(`set local holdfast.traceparent = '${traceparent.replace("4b", "5c")}'`);
  await submitTasks(application, tasks);
  await application.query("commit");
  await application.query("begin");
  await submitTasks(application, tasks, { traceparent: `${traceparent}\n` });
  await submitTasks(application, tasks, { traceparent: "x".repeat(100_000) });
  await application.query("commit");
  await submitTasks(application, tasks);
  await tested.makeTasks();
  const expected = [traceparent, null, traceparent.replace("4b", "5c"), null, null, null];
  for (const table of ["tasks order by task_id", "outbox order by id"]) {
    const found = await db.query<{ trace_context: string | null }>(
      `select trace_context from state.${table}`,
    );
    expect(found.map((row) => row.trace_context)).toEqual(expected);
  }
});

const rows = (table: string) =>
  db.query(
    `select to_jsonb(one) - '{task_id,id,created_at,updated_at,at,actor,rank,not_before,complete_by}'::text[] as row
       from ${table} as one order by to_jsonb(one) ->> 'name', 1`,
  );
const times = () =>
  db.query(
    `select name, round(extract(epoch from (rank - not_before))) as ahead,
            not_before between clock_timestamp() - interval '1 minute' and clock_timestamp() as is_now,
            round(extract(epoch from (tasks.complete_by - tasks.created_at))) as limit
       from state.steps join state.tasks using (task_id) order by name`,
  );
const tables = [
  "state.tasks",
  "state.steps",
  "state.task_payloads",
  "state.events",
  "state.task_labels",
  "state.business_keys",
];

test.each(["trip.v1", "later.v1"])(
  "a task submitted by SQL has the rows that the service would write: %s",
  async (workflow) => {
    const read = async () => [...(await Promise.all(tables.map(rows))), await times()];
    const named = { key: "trip-7", labels: { region: "eu", guest: "Ada" } };
    const common = { workflow, input: { x: 1 }, priority: "urgent", correlationId: "c" } as const;
    const status = { ...named, replyTo: "status.shop" };
    await store.submitTasks([newTask({ ...common, ...status })], { actor: "service" });
    const expected = await read();
    const notices = await db.query(
      "select seq, channel, address, body::jsonb - '{taskId,at}'::text[] as body from state.outbox",
    );
    await db.query(
      "truncate state.tasks, state.steps, state.events, state.task_payloads, state.outbox, state.business_keys, state.task_labels",
    );
    await submitTasks(application, [{ ...common, ...status }]);
    await tested.makeTasks();
    expect(await read()).toEqual(expected);
    expect(
      await db.query(
        "select seq, channel, address, body::jsonb - '{taskId,at}'::text[] as body from state.outbox",
      ),
    ).toEqual(notices);
    expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
);

test("a Scheduler claims a task that was submitted by SQL, and processes it", async () => {
  const scheduler = await db.open("scheduler");
  await submitTasks(application, [{ workflow: "trip", input: { x: 1 } }]);
  await tested.makeTasks();
  for (const _ of ["a", "b"]) {
    const claims = await claimAll(scheduler);
    expect(claims).toHaveLength(1);
    await scheduler.applyEvents(
      claims.map((claim) => ({ taskId: claim.taskId, event: completed(claim), output: {} })),
      { actor: "test" },
    );
  }
  expect(await store.countTasks()).toEqual({ processed: 1 });
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
});

test("a workflow name without a version means the version that operators activated", async () => {
  const [{ workflow } = { workflow: "" }] = await submittedAs("trip");
  expect(workflow).toBe("trip.v1");
  const request = { actor: "ann", reason: "its Agents run", asAwaited: false };
  expect(await operations.activateWorkflow({ ...request, name: "trip.v10" })).toBe(true);
  expect((await submittedAs("trip"))[0]?.workflow).toBe("trip.v10");
  expect(await operations.retireWorkflow({ ...request, name: "trip.v10" })).toBe(true);
  expect((await submittedAs("trip"))[0]?.workflow).toBe("trip.v1");
  await expect(submittedAs("trip.v10")).rejects.toMatchObject({ code: "workflow.retired" });
  expect(await operations.activateWorkflow({ ...request, name: "trip.v10" })).toBe(true);
  expect((await submittedAs("trip"))[0]?.workflow).toBe("trip.v10");
});

async function submittedAs(workflow: string) {
  const [{ taskId } = { taskId: "" }] = await submitTasks(application, [
    { workflow, input: { x: 1 } },
  ]);
  await tested.makeTasks();
  return db.query<{ workflow: string }>("select workflow from state.tasks where task_id = $1", [
    taskId,
  ]);
}

describe("an idempotency key", () => {
  const task = { workflow: "trip", input: { x: 1, y: ["a"] }, idempotencyKey: "k" };

  test("identifies one task, and is refused for another", async () => {
    const [first] = await submitTasks(application, [task]);
    expect(first).toMatchObject({ replayed: false });
    // The order of the fields is the sender's business.
    const [again] = await submitTasks(application, [{ ...task, input: { y: ["a"], x: 1 } }]);
    expect(again).toEqual({ ...first, replayed: true });
    // What else is asked for is found out when tasks are made: the answer names the task that has
    // the key.
    const [other] = await submitTasks(application, [{ ...task, input: { x: 2 } }]);
    expect(other).toEqual({ ...first, replayed: true });
    const { taskId } = first!;
    const made = { kind: "created", taskId };
    const replayed = { kind: "replayed", taskId };
    expect(await tested.makeTasks()).toEqual([made, replayed, { kind: "conflict" }]);
    expect(await count("state.tasks")).toBe(1);
  });

  test("is free again when the transaction that took it is rolled back", async () => {
    await application.query("begin");
    const [lost] = await submitTasks(application, [task]);
    await application.query("rollback");
    const [kept] = await submitTasks(application, [task]);
    expect(kept).toMatchObject({ replayed: false });
    expect(kept?.taskId).not.toBe(lost?.taskId);
  });

  test("is deleted after its retention", async () => {
    await submitTasks(application, [{ ...task, keepKeyFor: 1_000 }]);
    await tested.makeTasks();
    await db.query("update state.submissions set expires_at = expires_at - interval '2 seconds'");
    const [later] = await submitTasks(application, [{ ...task, input: { x: 2 } }]);
    expect(later).toMatchObject({ replayed: false });
  });
});

test("a submission creates the partition of its month if it is missing", async () => {
  await db.query(
    `do $$ declare parent text; of_month date; begin
       for of_month in select month from state.partitions loop
         foreach parent in array state.partitioned_tables() loop
           execute 'drop table ' || state.partition_of(parent, of_month);
         end loop;
       end loop;
       perform state.make_partition((state.month_of(clock_timestamp()) - interval '2 months')::date);
     end $$`,
  );
  await submitTasks(application, [{ workflow: "trip", input: { x: 1 } }]);
  await tested.makeTasks();
  expect(await count("state.tasks")).toBe(1);
});
