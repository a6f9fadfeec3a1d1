import { limits } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Client } from "pg";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import { type TestStore, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import { type SubmittedTask, submitTasks } from "./submit-in-transaction.ts";

let tested: TestApplication;
let db: TestStore;
let store: StateStore;
let application: Client;
beforeAll(async () => {
  tested = await openTestApplication();
  ({ db, store, application } = tested);
});
afterAll(async () => {
  await tested[Symbol.asyncDispose]();
});
beforeEach(() => tested.clear());

const count = (table: string) => tested.count(table);

test("a workflow whose stored input schema cannot be compiled is an error, and no task is created", async () => {
  await store.registerWorkflow(testWorkflow([{ name: "a" }], "broken.v1"));
  await db.query(
    `update state.workflows
        set definition = jsonb_set(definition::jsonb, '{inputSchema}', '{"pattern": "("}')::json
      where name = 'broken.v1'`,
  );
  await expect(tested.book({ workflow: "broken.v1", input: { x: 1 } })).rejects.toMatchObject({
    code: "workflow.unusable",
    message: expect.stringContaining("The stored input schema of broken.v1 cannot be compiled: "),
  });
  expect(await count("state.tasks")).toBe(0);
});

test.each<[string, SubmittedTask, string]>([
  ["an unknown workflow", { workflow: "no", input: { x: 1 } }, "workflow.unknown"],
  ["an input that its schema refuses", { workflow: "trip", input: { x: "1" } }, "task.invalid"],
  ["an unknown field", { workflow: "trip", input: { x: 1, z: 1 } }, "task.invalid"],
  [
    "a priority that there is not",
    { workflow: "trip", input: { x: 1 }, priority: "high" as "urgent" },
    "request.priority_invalid",
  ],
  [
    "a long fairness key",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "x".repeat(101) } },
    "request.fairness_invalid",
  ],
  [
    "no fairness key",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "" } },
    "request.fairness_invalid",
  ],
  [
    "a line break in a fairness key",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a\nb" } },
    "request.fairness_invalid",
  ],
  [
    "a weight of 0",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a", weight: 0 } },
    "request.fairness_invalid",
  ],
  [
    "half a weight",
    { workflow: "trip", input: { x: 1 }, fairness: { key: "a", weight: 1.5 } },
    "request.fairness_invalid",
  ],
  [
    "a weight without a key",
    { workflow: "trip", input: { x: 1 }, fairness: { weight: 2 } },
    "request.fairness_invalid",
  ],
  ["a key with a space", { workflow: "trip", input: { x: 1 }, key: "a b" }, "request.invalid"],
  [
    "a label without text",
    { workflow: "trip", input: { x: 1 }, labels: { a: "" } },
    "request.invalid",
  ],
  [
    "a label with a bad name",
    { workflow: "trip", input: { x: 1 }, labels: { "a b": "c" } },
    "request.invalid",
  ],
  [
    "too many labels",
    {
      workflow: "trip",
      input: { x: 1 },
      labels: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`l${n}`, "x"])),
    },
    "request.invalid",
  ],
  [
    "a beginning in two years",
    { workflow: "trip", input: { x: 1 }, notBefore: new Date(Date.now() + 730 * 86_400_000) },
    "request.invalid",
  ],
  [
    "a key that is kept for two years",
    { workflow: "trip", input: { x: 1 }, idempotencyKey: "k", keepKeyFor: 730 * 86_400_000 },
    "task.invalid",
  ],
  [
    "a key that is kept for less than no time",
    { workflow: "trip", input: { x: 1 }, idempotencyKey: "k", keepKeyFor: -1 },
    "task.invalid",
  ],
  [
    "a queue of ours",
    { workflow: "trip", input: { x: 1 }, replyTo: "agent.a" },
    "request.reply_to_invalid",
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
  ["as a text with a weight that is a text", shared("ann", "3"), "ann", 3],
  ["as null", shared(null, 3), null, null],
  ["nowhere", { workflow: "shared", input: {} }, null, null],
  ["in the submission", { ...shared("ann", 3), fairness: { key: "bob", weight: 7 } }, "bob", 7],
  ["in both", { ...shared("ann", 3), fairness: { key: "bob" } }, "bob", 3],
])("a submission by SQL finds its fairness key %s", async (_, task, key, weight) => {
  await submitTasks(application, [task]);
  await tested.makeTasks();
  const found = await db.query(
    "select fairness_key as key, fairness_weight as weight from state.tasks",
  );
  expect(found).toEqual([{ key, weight }]);
});

test("a workflow whose first step has a condition is submitted by SQL as any other", async () => {
  await submitTasks(application, [{ workflow: "conditional", input: { x: 2 } }]);
  expect(await tested.makeTasks()).toMatchObject([{ kind: "created" }]);
  expect(await db.query("select process_state from state.steps")).toEqual([
    { process_state: "skipped" },
  ]);
});

test.each<[string, Json, Json]>([
  ["a list", ["ann"], 1],
  ["a fraction", 1.5, 1],
  ["an empty text", "", 1],
  ["a text with a weight of 0", "ann", 0],
])("a submission by SQL refuses %s as the fairness key of its input", async (_, key, w) => {
  await expect(submitTasks(application, [shared(key, w)])).rejects.toMatchObject({
    code: "request.fairness_invalid",
    message: expect.stringMatching(/must be/),
  });
});

test("by SQL alone a submission is bounded, and one that names no workflow is refused", async () => {
  const enqueue = (submission: object) =>
    application.query("select state.enqueue_submission($1::jsonb)", [JSON.stringify(submission)]);
  const long = { workflow: "later", input: "x".repeat(limits.messageBytes) };
  await expect(enqueue(long)).rejects.toThrow(`longer than ${limits.messageBytes} bytes`);
  await expect(enqueue({ input: 1 })).rejects.toThrow("workflow.unknown");
  await expect(enqueue([1])).rejects.toThrow("workflow.unknown");
  expect(await count("state.inbox")).toBe(0);
});

test("a service refuses what is enqueued once, with a row, a message and its keys free again", async () => {
  const task = { workflow: "trip", input: { x: 1 }, key: "trip-7", idempotencyKey: "k" };
  const [{ taskId } = { taskId: "" }] = await submitTasks(application, [task]);
  const refusal = {
    taskId,
    code: "task.invalid",
    detail: "The input is wrong.",
    errors: [{ pointer: "/x", detail: "must be 2" }],
    notification: {
      subject: "refused-1",
      seq: 1,
      correlationId: null,
      channel: "status" as const,
      address: "status.shop",
      body: {
        event: "refused" as const,
        messageId: "k",
        taskId,
        correlationId: null,
        code: "task.invalid",
        detail: "The input is wrong.",
        errors: [],
      },
    },
  };
  for (const by of [store, store]) await by.refuseEnqueued([refusal]);
  for (const by of [store, tested.operations]) {
    expect(await by.findTask({ taskId, tenant: "default" })).toBeNull();
    expect(await by.findRefusal({ taskId })).toEqual({
      code: "task.invalid",
      detail: "The input is wrong.",
    });
  }
  expect([await count("state.outbox"), await count("state.refusals")]).toEqual([1, 1]);
  const [again] = await submitTasks(application, [task]);
  expect(again).toMatchObject({ replayed: false });
  expect(await tested.makeTasks()).toEqual([{ kind: "created", taskId: again?.taskId }]);
});

test("the login of an application can submit and nothing else", async () => {
  for (const statement of [
    "select from state.tasks",
    "select from state.workflows",
    "insert into state.tasks (task_id, workflow) values (gen_random_uuid(), 'trip.v1')",
    "delete from state.submissions",
    "select from state.inbox",
    "insert into state.inbox (task_id, submission, bytes, workflow) values (gen_random_uuid(), '{}', 2, 'trip.v1')",
    "select from state.refusals",
    "select from state.instances",
    "select state.wake_inbox()",
    "select state.has_freed_key(gen_random_uuid())",
    "select state.make_partitions()",
    "select state.new_task_id(), * from state.agents",
    "select state.drop_month('2020-01-01', interval '1 day')",
  ]) {
    await expect(application.query(statement)).rejects.toThrow("permission denied");
  }
});
