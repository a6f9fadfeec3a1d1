import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { newTask, openTestStore, type TestStore, testWorkflow } from "../../test/fixtures.ts";

let db: TestStore;
beforeAll(async () => {
  db = await openTestStore();
  const submission = await db.open("submission");
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));
  await submission.submitTasks([newTask()], { actor: "test" });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query("begin");
  // They are a wall of their own.
  await db.query("alter table state.tasks disable trigger user");
  await db.query("alter table state.steps disable trigger user");
});
afterEach(async () => {
  await db.query("rollback");
});

const now = new Date();
const waiting = { process_state: "waiting", not_before: null, rank: null };
const lock = {
  locked_by: "scheduler-1",
  start_by: now,
  complete_by: now,
  token: crypto.randomUUID(),
  resend_at: now,
};
const inHand = { ...waiting, process_state: "processing", ...lock };

const update = (table: string, change: object) => {
  const set = Object.keys(change).map((column, index) => `${column} = $${index + 1}`);
  return db.query(`update state.${table} set ${set.join(", ")}`, Object.values(change));
};

// A new task with its one step, which is due.
test.each([
  ["known_goal", "tasks", { goal: "redo" }],
  ["known_state", "tasks", { process_state: "lost" }],
  ["finished_exactly_at_the_end", "tasks", { process_state: "processed" }],
  ["finished_exactly_at_the_end", "tasks", { finished_at: now }],
  ["undone_only_when_asked", "tasks", { process_state: "undoing" }],
  ["known_priority", "tasks", { priority: "high" }],
  ["weight_exactly_with_a_key", "tasks", { fairness_key: "ann" }],
  ["weight_exactly_with_a_key", "tasks", { fairness_weight: 1 }],
  ["weight_exactly_with_a_key", "tasks", { fairness_key: "ann", fairness_weight: 0 }],
  ["weight_exactly_with_a_key", "tasks", { fairness_key: "ann", fairness_weight: 1_001 }],
  ["weight_exactly_with_a_key", "tasks", { fairness_key: "", fairness_weight: 1 }],
  ["paused_by_somebody", "tasks", { paused_at: now }],
  ["paused_by_somebody", "tasks", { paused_by: "Ann" }],
  ["known_kind", "steps", { kind: "request" }],
  ["known_state", "steps", { ...waiting, process_state: "lost" }],
  ...Object.entries(lock).flatMap(
    ([column, value]) =>
      [
        ["locked_exactly_while_processing", "steps", { [column]: value }],
        ["locked_exactly_while_processing", "steps", { ...inHand, [column]: null }],
      ] as const,
  ),
  ["due_exactly_while_pending", "steps", { not_before: null }],
  ["due_exactly_while_pending", "steps", { ...waiting, not_before: now }],
  ["known_band", "steps", { band: 4 }],
  ["ranked_only_while_pending", "steps", { ...waiting, rank: now }],
  ["confirmed_only_while_processing", "steps", { confirmed_at: now }],
  ["signs_only_while_processing", "steps", { started_at: now }],
  ["signs_only_while_processing", "steps", { heartbeat_at: now }],
  ["signs_only_while_processing", "steps", { progress: "{}" }],
  ["extended_no_less_than_its_time", "steps", { extend_up_to: 0 }],
  ["fault_in_error", "steps", { ...waiting, process_state: "error" }],
  ["counters_are_possible", "steps", { attempt: -1 }],
  ["counters_are_possible", "steps", { failure_count: 1 }],
  ["counters_are_possible", "steps", { attempt: 1, failure_count: -1 }],
  ["counters_are_possible", "steps", { requeue_count: -1 }],
  ["counters_are_possible", "steps", { cool_downs: -1 }],
] as const)("the store refuses a row that breaks %s: %s %j", async (constraint, table, change) => {
  await expect(update(table, change)).rejects.toMatchObject({
    code: "23514",
    constraint,
    table,
    schema: "state",
  });
});

test.each([
  ["tasks", { process_state: "processed", finished_at: now }],
  ["tasks", { process_state: "undone", goal: "undo", finished_at: now }],
  ["tasks", { paused_at: now, paused_by: "Ann", priority: "batch" }],
  ["steps", waiting],
  ["steps", { ...inHand, attempt: 1 }],
  ["steps", { ...inHand, attempt: 1, confirmed_at: now }],
  ["steps", { ...inHand, attempt: 1, started_at: now, heartbeat_at: now, progress: "{}" }],
  ["steps", { ...waiting, process_state: "error", fault_code: "x", attempt: 2, failure_count: 2 }],
  ["steps", { rank: null, requeue_count: 3, cool_downs: 1 }],
])("the store accepts a row that breaks no check: %s %j", async (table, change) => {
  await update(table, change);
});
