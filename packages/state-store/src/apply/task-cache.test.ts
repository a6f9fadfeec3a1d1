import type { ReportedTaskEvent } from "@holdfast/domain";
import {
  type CallDefinition,
  decide,
  planWorkflow,
  submit,
  type Task,
  type TaskEvent,
} from "@holdfast/domain";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { testWorkflow } from "../../test/fixtures.ts";
import type { ClaimedRow } from "../claim/claimed-step.ts";
import { storedWorkflow } from "../workflows/workflow-catalog.ts";
import { taskCache } from "./task-cache.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const around = { now: noon, random: () => 0, valueOf: null };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

type Steps = readonly (Partial<CallDefinition> & { readonly name: string })[];

const planOf = (steps: Steps) => planWorkflow(testWorkflow(steps));

/** A hand that knows a workflow of these steps. */
function open(steps: Steps = [{ name: "a" }, { name: "b" }]) {
  const workflow = storedWorkflow(testWorkflow(steps));
  return taskCache({ known: () => workflow });
}

const row = (changes: Partial<ClaimedRow> = {}): ClaimedRow => ({
  taskId: "task-1",
  name: "a",
  lane: "agent",
  agent: "agent",
  workflow: "test.v1",
  attempt: 1,
  token: "token-a",
  startBy: noon + 30_000,
  completeBy: noon + 35_000,
  keyGeneration: 0,
  taskInput: null,
  now: noon,
  version: 2,
  priority: "urgent",
  fairnessKey: "k",
  replyTo: "answers",
  correlationId: "corr",
  ...changes,
});

const completed = (
  changes: Partial<Extract<TaskEvent, { kind: "completed" }>> = {},
): ReportedTaskEvent => ({
  taskId: "task-1",
  event: { kind: "completed", step: "a", attempt: 1, token: "token-a", ...changes },
});

const take = (hand: ReturnType<typeof open>, ...reportedEvents: readonly ReportedTaskEvent[]) =>
  hand.take(Map.groupBy(reportedEvents, ({ taskId }) => taskId)).tasks;

const mine = { lockedBy: "scheduler-1" };

test("a task whose first step this Scheduler claimed is cached as it was submitted", () => {
  const hand = open();
  hand.claimed([row()], mine);
  const submitted = submit("task-1", planOf([{ name: "a" }, { name: "b" }]), around).task;
  const event = { kind: "claimed", step: "a", by: "scheduler-1", token: "token-a" } as const;
  const claimed = decide(submitted, event, around);
  expect([...take(hand, completed()).values()]).toEqual([
    {
      version: 2,
      traceContext: null,
      priority: "urgent",
      fairnessKey: "k",
      replyTo: "answers",
      correlationId: "corr",
      task: claimed.applied && claimed.task,
    },
  ]);
});

test("a cached task is used once: a retry reads it from the store", () => {
  const hand = open();
  hand.claimed([row()], mine);
  expect(take(hand, completed()).size).toBe(1);
  expect(take(hand, completed()).size).toBe(0);
});

test.each<[string, Partial<ClaimedRow>]>([
  ["that had been moved before", { version: 4 }],
  ["that was claimed before", { attempt: 2 }],
])("a task %s is read", (_, changes) => {
  const hand = open();
  hand.claimed([row(changes)], mine);
  expect(take(hand, completed({ attempt: changes.attempt ?? 1 })).size).toBe(0);
});

test("a task whose workflow has conditions is read", () => {
  const onlyIf = { equals: [{ $ref: "/input/wanted" }, true] } as const;
  const hand = open([{ name: "a" }, { name: "b", onlyIf }]);
  hand.claimed([row()], mine);
  expect(take(hand, completed()).size).toBe(0);
});

test("a task of a workflow that is not known yet is read", () => {
  const hand = taskCache({ known: () => undefined });
  hand.claimed([row()], mine);
  expect(take(hand, completed()).size).toBe(0);
});

test.each<[string, readonly ReportedTaskEvent[]]>([
  [
    "fails",
    [
      {
        ...completed(),
        event: { kind: "stopped", step: "a", attempt: 1, token: "token-a", effect: "none" },
      },
    ],
  ],
  ["is reported twice", [completed(), completed()]],
  ["is reported with another token", [completed({ token: "forged" })]],
  ["is reported with another attempt", [completed({ attempt: 2 })]],
  ["is reported by another Agent", [completed({ agent: "other" })]],
  ["is not the one that is reported", [completed({ step: "b" })]],
  [
    "is reported by an operator who saw a certain version",
    [{ ...completed(), expectedVersion: 2 }],
  ],
])("a task whose step %s is read", (_, reportedEvents) => {
  const hand = open();
  hand.claimed([row()], mine);
  expect(take(hand, ...reportedEvents).size).toBe(0);
});

test("a task of which others may claim a step, or have one in flight, is read", () => {
  const beside: Steps = [{ name: "a" }, { name: "b", after: [] }];
  const pending = open(beside);
  pending.claimed([row()], mine);
  expect(take(pending, completed()).size).toBe(0);

  const processing = open(beside);
  processing.claimed([row(), row({ name: "b", token: "token-b" })], mine);
  expect(take(processing, completed()).size).toBe(0);
});

/** What the first step leaves behind it, saved by us. */
function recorded(hand: ReturnType<typeof open>, event: TaskEvent): Task {
  hand.claimed([row()], mine);
  const [before] = take(hand, completed()).values();
  const decision = decide(before!.task, event, around);
  const after = decision.applied ? decision.task : before!.task;
  hand.keep([{ before: before!, after }]);
  return after;
}

test("a task that this Scheduler saved stays cached, one version later", () => {
  const hand = open();
  recorded(hand, completed().event);
  hand.claimed([row({ name: "b", token: "token-b", version: 3 })], mine);
  const [held] = take(hand, completed({ step: "b", token: "token-b" })).values();
  expect(held).toMatchObject({
    version: 3,
    priority: "urgent",
    fairnessKey: "k",
    replyTo: "answers",
  });
  expect(held?.task.steps.get("a")?.processState).toBe("processed");
  expect(held?.task.steps.get("b")).toMatchObject({ processState: "processing", attempt: 1 });
});

test.each<[string, Partial<ClaimedRow>]>([
  ["moved it on", { version: 4 }],
  ["claimed the step before", { version: 3, attempt: 2 }],
])("a task is read when its next claim shows that others have %s", (_, changes) => {
  const hand = open();
  recorded(hand, completed().event);
  hand.claimed([row({ name: "b", token: "token-b", ...changes })], mine);
  const reply = completed({ step: "b", token: "token-b", attempt: changes.attempt ?? 1 });
  expect(take(hand, reply).size).toBe(0);
});

test("a task that is to be undone, or waits, is not cached", () => {
  for (const event of [
    { kind: "undoRequested", code: "operator.cancel" },
    { kind: "paused" },
  ] as const) {
    const hand = open();
    recorded(hand, event);
    expect(take(hand, completed()).size).toBe(0);
  }
});

test("the cached store time is the last claim's time plus the time since, for ten seconds", () => {
  const hand = open();
  hand.claimed([row(), row({ taskId: "task-2" })], mine);
  jest.advanceTimersByTime(9_000);
  const { tasks, now } = hand.take(new Map([["task-1", [completed()]]]));
  expect([tasks.size, now]).toEqual([1, noon + 9_000]);
  jest.advanceTimersByTime(2_000);
  const reply = { ...completed(), taskId: "task-2" };
  expect(take(hand, reply).size).toBe(0);
});

test("the cache holds thirty thousand steps, and evicts the oldest tasks first", () => {
  const hand = open();
  const rows = Array.from({ length: 15_001 }, (_, index) => row({ taskId: `task-${index}` }));
  hand.claimed(rows, mine);
  const replies = [0, 1, 15_000].map((index) => ({ ...completed(), taskId: `task-${index}` }));
  expect([...take(hand, ...replies).keys()]).toEqual(["task-1", "task-15000"]);
});
