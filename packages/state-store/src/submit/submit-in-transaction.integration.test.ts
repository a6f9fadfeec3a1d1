import type { Json } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import {
  claimAll,
  completed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../state-store.ts";
import { type SubmittedTask, submitTasks } from "./submit-in-transaction.ts";

let db: TestStore;
let store: StateStore;
let operations: StateStore;
/** With the rights of an application, which has a table of its own. */
let application: Client;
const inputSchema = {
  type: "object",
  properties: { x: { type: "integer" }, y: { type: "array", items: { type: "string" } } },
  required: ["x"],
};
const onlyIf = { equals: [{ $ref: "/input/x" }, 1] } as const;
beforeAll(async () => {
  db = await openTestStore();
  store = await db.open("submission");
  operations = await db.open("operations");
  const trip = (name: string) => ({
    ...testWorkflow([{ name: "a" }, { name: "b" }], name),
    inputSchema,
  });
  await store.registerWorkflow({ ...trip("trip.v1"), completeWithin: 60_000 });
  await store.registerWorkflow(trip("trip.v9"));
  await store.registerWorkflow({ ...trip("trip.v10"), completeWithin: 60_000 });
  await store.registerWorkflow(testWorkflow([{ name: "a", onlyIf }], "conditional.v1"));
  await store.registerWorkflow(
    testWorkflow([{ name: "a" }, { name: "b", onlyIf }, { name: "c", after: [] }], "later.v1"),
  );
  await store.registerWorkflow({
    ...testWorkflow([{ name: "a" }], "shared.v1"),
    fairness: { key: "/input/of/0/a~1b", weight: "/input/w" },
  });
  await db.query("create table public.bookings (task_id uuid primary key, guest text not null)");
  await db.query("grant insert, select on public.bookings to holdfast_application");
  application = new Client({ connectionString: db.url });
  application.on("error", () => {});
  await application.connect();
  await application.query("set role holdfast_application");
});
afterAll(async () => {
  await application.end();
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query(
    "truncate state.submissions, state.tasks, state.steps, state.events, state.task_payloads, state.outbox, public.bookings",
  );
});

const count = async (table: string) =>
  (await db.query<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n;

const book = async (task: SubmittedTask, guest: string | null = "Ada") => {
  await application.query("begin");
  try {
    const [submitted] = await submitTasks(application, [task]);
    await application.query("insert into public.bookings values ($1, $2)", [
      submitted!.taskId,
      guest,
    ]);
    await application.query("commit");
    return submitted!;
  } catch (error) {
    await application.query("rollback");
    throw error;
  }
};

test("a task and the rows of its application are written in one transaction, or neither is", async () => {
  await book({ workflow: "trip.v1", input: { x: 1 } });
  const joined = await db.query(
    "select guest, process_state from public.bookings join state.tasks using (task_id)",
  );
  expect(joined).toEqual([{ guest: "Ada", process_state: "pending" }]);
  await expect(book({ workflow: "trip.v1", input: { x: 1 } }, null)).rejects.toThrow("not-null");
  expect(await count("state.tasks")).toBe(1);
  expect(await count("state.steps")).toBe(2);
  expect(await count("state.events")).toBe(1);
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
const tables = ["state.tasks", "state.steps", "state.task_payloads", "state.events"];

test.each(["trip.v1", "later.v1"])(
  "a task submitted by SQL has the rows that the service would write: %s",
  async (workflow) => {
    const read = async () => [...(await Promise.all(tables.map(rows))), await times()];
    const common = { workflow, input: { x: 1 }, priority: "urgent", correlationId: "c" } as const;
    const status = { replyTo: "status.shop" };
    await store.submitTasks([newTask({ ...common, ...status })], { actor: "service" });
    const expected = await read();
    const notices = await db.query(
      "select seq, channel, address, body::jsonb - '{taskId,at}'::text[] as body from state.outbox",
    );
    await db.query(
      "truncate state.tasks, state.steps, state.events, state.task_payloads, state.outbox",
    );
    await submitTasks(application, [{ ...common, ...status }]);
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

test("a workflow whose stored input schema cannot be compiled is an error, and no task is created", async () => {
  await store.registerWorkflow(testWorkflow([{ name: "a" }], "broken.v1"));
  await db.query(
    `update state.workflows
        set definition = jsonb_set(definition::jsonb, '{inputSchema}', '{"pattern": "("}')::json
      where name = 'broken.v1'`,
  );
  await expect(book({ workflow: "broken.v1", input: { x: 1 } })).rejects.toMatchObject({
    code: "workflow.unusable",
    message: expect.stringContaining("The stored input schema of broken.v1 cannot be compiled: "),
  });
  expect(await count("state.tasks")).toBe(0);
});

test("a workflow name without a version means its newest version that is not retired", async () => {
  const [{ workflow } = { workflow: "" }] = await submittedAs("trip");
  expect(workflow).toBe("trip.v10");
  const wish = { name: "trip.v10", actor: "ann", reason: "v9 it is" };
  expect(await operations.retireWorkflow(wish)).toBe(true);
  expect((await submittedAs("trip"))[0]?.workflow).toBe("trip.v9");
  await expect(submittedAs("trip.v10")).rejects.toMatchObject({ code: "workflow.retired" });
  expect(await operations.reinstateWorkflow({ name: "trip.v10" })).toBe(true);
  expect((await submittedAs("trip"))[0]?.workflow).toBe("trip.v10");
});

async function submittedAs(workflow: string) {
  const [{ taskId } = { taskId: "" }] = await submitTasks(application, [
    { workflow, input: { x: 1 } },
  ]);
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
    await expect(submitTasks(application, [{ ...task, input: { x: 2 } }])).rejects.toMatchObject({
      code: "request.idempotency_key_reused",
    });
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
    await db.query("update state.submissions set expires_at = expires_at - interval '2 seconds'");
    const [later] = await submitTasks(application, [{ ...task, input: { x: 2 } }]);
    expect(later).toMatchObject({ replayed: false });
  });
});

test.each<[string, SubmittedTask, string]>([
  ["an unknown workflow", { workflow: "no", input: { x: 1 } }, "workflow.unknown"],
  ["an input that its schema refuses", { workflow: "trip", input: { x: "1" } }, "task.invalid"],
  ["an unknown field", { workflow: "trip", input: { x: 1, z: 1 } }, "task.invalid"],
  [
    "a priority that there is not",
    { workflow: "trip", input: { x: 1 }, priority: "high" as "urgent" },
    "task.invalid",
  ],
  [
    "a long fairness key",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "x".repeat(101) } },
    "task.invalid",
  ],
  ["no fairness key", { workflow: "trip", input: { x: 1 }, fairness: { key: "" } }, "task.invalid"],
  [
    "a line break in a fairness key",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a\nb" } },
    "task.invalid",
  ],
  [
    "a weight of 0",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a", weight: 0 } },
    "task.invalid",
  ],
  [
    "half a weight",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a", weight: 1.5 } },
    "task.invalid",
  ],
  [
    "a weight without a key",
    { workflow: "trip", input: { x: 1 }, fairness: { weight: 2 } },
    "task.invalid",
  ],
  ["a queue of ours", { workflow: "trip", input: { x: 1 }, replyTo: "agent.a" }, "task.invalid"],
  [
    "a condition of its first step",
    { workflow: "conditional", input: { x: 1 } },
    "workflow.first_step_conditional",
  ],
])("a submission by SQL refuses %s with a code, and writes nothing", async (_, task, code) => {
  await expect(submitTasks(application, [task])).rejects.toMatchObject({ code });
  expect(await count("state.tasks")).toBe(0);
});

const shared = (key: unknown, w?: unknown) => ({
  workflow: "shared",
  input: { of: [{ "a/b": key }], ...(w === undefined ? {} : { w }) } as Json,
});

test.each<[string, SubmittedTask, string | null, number | null]>([
  ["where the workflow says", shared("ann", 3), "ann", 3],
  ["as a number", shared(42), "42", 1],
  ["as null", shared(null, 3), null, null],
  ["nowhere", { workflow: "shared", input: {} }, null, null],
  ["in the submission", { ...shared("ann", 3), fairness: { key: "bob", weight: 7 } }, "bob", 7],
  ["in both", { ...shared("ann", 3), fairness: { key: "bob" } }, "bob", 3],
])("a submission by SQL finds its fairness key %s", async (_, task, key, weight) => {
  await submitTasks(application, [task]);
  const found = await db.query(
    "select fairness_key as key, fairness_weight as weight from state.tasks",
  );
  expect(found).toEqual([{ key, weight }]);
});

test.each<[string, Json, Json]>([
  ["a list", ["ann"], 1],
  ["a fraction", 1.5, 1],
  ["an empty text", "", 1],
  ["a text with a weight that is a text", "ann", "1"],
  ["a text with a weight of 0", "ann", 0],
])("a submission by SQL refuses %s as the fairness key of its input", async (_, key, w) => {
  await expect(submitTasks(application, [shared(key, w)])).rejects.toMatchObject({
    code: "task.invalid",
    message: expect.stringMatching(/must be/),
  });
});

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test.each([
  ["too deep", nested(33), "deeper than 32 levels"],
  ["too long", JSON.stringify("x".repeat(262_144)), "longer than 262144 bytes"],
  ["inexact", "[9007199254740993]", "too large to be exact"],
])("by SQL alone an input that is %s is refused", async (_, input, message) => {
  await expect(
    application.query("select state.submit_task('later', $1::jsonb)", [input]),
  ).rejects.toThrow(message);
  await application.query("select state.submit_task('later', $1::jsonb)", [nested(32)]);
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
  expect(await count("state.tasks")).toBe(1);
});

test("the login of an application can submit and nothing else", async () => {
  for (const statement of [
    "select from state.tasks",
    "select from state.workflows",
    "insert into state.tasks (task_id, workflow) values (gen_random_uuid(), 'trip.v1')",
    "delete from state.submissions",
    "select state.make_partitions()",
    "select state.new_task_id(), * from state.agents",
    "select state.drop_month('2020-01-01', interval '1 day')",
  ]) {
    await expect(application.query(statement)).rejects.toThrow("permission denied");
  }
});
