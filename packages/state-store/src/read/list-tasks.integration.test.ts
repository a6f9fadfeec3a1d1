import type { TaskState } from "@holdfast/domain";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newTask, openTestStores, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { TaskCondition } from "./list-tasks.ts";

let db: TestStore;
let operations: StateStore;
const rest = { name: "rest", wait: { for: 86_400_000 }, after: [] };
const names = new Map<string, string>();
beforeAll(async () => {
  const stores = await openTestStores(
    testWorkflow([{ name: "a" }]),
    testWorkflow([{ name: "a" }], "other.v1"),
    testWorkflow([rest, { ...rest, name: "stay" }], "resting.v1"),
  );
  ({ db, operations } = stores);
  const tasks = {
    one: newTask({ key: "order-1", labels: { region: "eu", customer: "ada" } }),
    two: newTask({ key: "order-2", labels: { region: "us" }, priority: "urgent" }),
    three: newTask({ labels: { region: "eu" }, workflow: "other.v1" }),
    four: newTask({ correlationId: "c-4" }),
    resting: newTask({ workflow: "resting.v1" }),
    ended: newTask({ key: "order-1", labels: { region: "eu" } }),
  };
  const submit = async (name: keyof typeof tasks) => {
    const [submitted] = await stores.submission.submitTasks([tasks[name]], { actor: "test" });
    names.set(submitted !== undefined && "taskId" in submitted ? submitted.taskId : "", name);
    return [...names.keys()].at(-1)!;
  };
  const ended = await submit("ended");
  await db.query(
    `set session_replication_role = replica;
     update state.tasks set process_state = 'processed', finished_at = now() where task_id = '${ended}';
     reset session_replication_role`,
  );
  for (const name of ["one", "two", "three", "four", "resting"] as const) await submit(name);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

const all = { tenant: "default", createdFrom: null, createdBefore: null };
const open: readonly TaskState[] = ["pending", "processing", "halted", "undoing"];

test.each<[string, readonly TaskCondition[], readonly string[]]>([
  ["nothing", [], ["resting", "four", "three", "two", "one", "ended"]],
  ["a key", [{ field: "key", operator: "in", operand: ["order-1"] }], ["one", "ended"]],
  [
    "a key and a state",
    [
      { field: "key", operator: "in", operand: ["order-1"] },
      { field: "state", operator: "in", operand: ["pending"] },
    ],
    ["one"],
  ],
  [
    "open states",
    [{ field: "state", operator: "in", operand: open }],
    ["resting", "four", "three", "two", "one"],
  ],
  [
    "a label",
    [{ field: "label.region", operator: "in", operand: ["eu"] }],
    ["three", "one", "ended"],
  ],
  [
    "two labels",
    [
      { field: "label.region", operator: "in", operand: ["eu"] },
      { field: "label.customer", operator: "in", operand: ["ada"] },
    ],
    ["one"],
  ],
  [
    "one label of several",
    [{ field: "label.region", operator: "in", operand: ["us", "asia"] }],
    ["two"],
  ],
  [
    "a key's beginning",
    [{ field: "key", operator: "like", operand: "order-%" }],
    ["two", "one", "ended"],
  ],
  [
    "that a label exists",
    [{ field: "label.customer", operator: "exists", operand: true }],
    ["one"],
  ],
  [
    "that there is no key",
    [{ field: "key", operator: "exists", operand: false }],
    ["resting", "four", "three"],
  ],
  [
    "one of several steps that wait",
    [{ field: "awaiting", operator: "in", operand: ["stay"] }],
    ["resting"],
  ],
  ["what waits", [{ field: "awaiting", operator: "exists", operand: true }], ["resting"]],
  ["the beginning of it", [{ field: "awaiting", operator: "like", operand: "re%" }], ["resting"]],
  ["another step that waits", [{ field: "awaiting", operator: "in", operand: ["a"] }], []],
  [
    "that nothing waits",
    [
      { field: "awaiting", operator: "exists", operand: false },
      { field: "state", operator: "in", operand: open },
    ],
    ["four", "three", "two", "one"],
  ],
  ["a label that no task has", [{ field: "label.'; --", operator: "in", operand: ["x"] }], []],
  ["a priority", [{ field: "priority", operator: "in", operand: ["urgent"] }], ["two"]],
  ["a workflow", [{ field: "workflow", operator: "in", operand: ["other.v1"] }], ["three"]],
  ["a correlation id", [{ field: "correlationId", operator: "in", operand: ["c-4"] }], ["four"]],
  ["no values at all", [{ field: "key", operator: "in", operand: [] }], []],
])("tasks are found and counted by %s", async (_, conditions, expected) => {
  const filter = { ...all, conditions };
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const page = await operations.listTasks({ ...filter, after, most: 2 });
    found.push(...page.items.map(({ taskId }) => names.get(taskId) ?? taskId));
    if (page.next === null) break;
    after = page.next;
  }
  expect(found).toEqual(expected);
  expect(await operations.countMatchingTasks(filter)).toEqual({
    count: expected.length,
    complete: true,
  });
});

test("a listed task shows its key and labels, and a task shows them, too", async () => {
  const [taskId] = [...names].find(([, name]) => name === "one")!;
  const named = { key: "order-1", labels: { region: "eu", customer: "ada" }, notBefore: null };
  const page = await operations.listTasks({ ...all, conditions: [], after: null, most: 10 });
  expect(page.items.find((item) => item.taskId === taskId)).toMatchObject(named);
  expect(await operations.findTask({ taskId, tenant: "default" })).toMatchObject(named);
});

test("of some tasks, those that have ended or halted are named", async () => {
  const ids = [...names.keys()];
  const ended = ids.filter((id) => names.get(id) === "ended");
  expect(await operations.findFinishedTasks({ taskIds: ids })).toEqual(ended);
  expect(await operations.findFinishedTasks({ taskIds: [] })).toEqual([]);
  const [halted = ""] = ids.filter((id) => !ended.includes(id));
  const stand = (state: string) =>
    db.query(
      `set session_replication_role = replica;
       update state.tasks set process_state = '${state}' where task_id = '${halted}';
       reset session_replication_role`,
    );
  await stand("halted");
  const found = await operations.findFinishedTasks({ taskIds: ids });
  await stand("pending");
  expect(found.toSorted()).toEqual([...ended, halted].toSorted());
});
