import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  openTestStore,
  submitMany,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { NewDecision } from "./approvals.ts";

let db: TestStore;
let scheduler: StateStore;
let operations: StateStore;
let submission: StateStore;
beforeAll(async () => {
  db = await openTestStore();
  scheduler = await db.open("scheduler");
  operations = await db.open("operations");
  submission = await db.open("submission");
  for (const workflow of workflows) await operations.registerWorkflow(workflow);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts"));

const hour = 3_600_000;
const release = { name: "release", audience: "treasury" };
/** One of the treasury approves before something is done, and after another. */
const releasing = testWorkflow([{ name: "a" }, release, { name: "b" }], "releasing.v1");
/** It begins with what people decide. */
const asking = (name: string, changes: object) =>
  testWorkflow([{ ...release, ...changes }, { name: "b" }], name);
const workflows = [
  releasing,
  asking("two.v1", { quorum: 2 }),
  asking("passing.v1", { onDeadline: "approve", quorum: 2 }),
  asking("one.v1", {}),
  asking("failing.v1", { onDeadline: "fail" }),
  asking("lasting.v1", { within: null, remindAfter: null }),
  asking("reminding.v1", { remindAfter: hour }),
  asking("halted-by.v1", { onFailure: "halt" }),
  asking("excluding.v1", { excludes: [{ $ref: "/input/owner" }] }),
  testWorkflow(
    [
      { name: "x", onFailure: "halt", undo: null },
      { ...release, after: [] },
    ],
    "halting.v1",
  ),
  testWorkflow([release, { ...release, name: "second", audience: "legal", after: [] }], "both.v1"),
];

const round = { actor: "test", most: 100, expected: null };
const fire = async () => (await scheduler.fireWaits(round)).fired;

const decision = (taskId: string, changes: Partial<NewDecision> = {}): NewDecision => ({
  taskId,
  step: "release",
  actor: "ada@example.com",
  actorName: "Ada",
  decision: "approve",
  reason: null,
  form: null,
  quorum: 1,
  ...changes,
});
const decide = (taskId: string, changes?: Partial<NewDecision>) =>
  submission.recordDecision(decision(taskId, changes));
const rejects = { decision: "reject", reason: "too much" } as const;
const bob = { actor: "bob@example.com", actorName: "Bob" };

const counted = (changes: object = {}) => ({
  kind: "counted",
  at: expect.any(String),
  replayed: false,
  approvals: 1,
  isDecided: true,
  ...changes,
});
const refused = (code: string, outcome: string | null) => ({
  kind: "refused",
  code,
  outcome,
  decisions: expect.any(Array),
});

/** Submits a task whose first step people decide. */
const wanted = (workflow: string, changes: object = {}) =>
  submitOne(submission, { workflow, ...changes });

/** Completes the step before the one that people decide. */
async function opened(): Promise<string> {
  const taskId = await wanted("releasing.v1");
  const [claim] = await claimAll(scheduler);
  await scheduler.applyEvents([{ taskId, event: completed(claim!), output: { y: 2 } }], {
    actor: "test",
  });
  return taskId;
}

const stateOf = async (taskId: string, step = "release") =>
  (
    await db.query<{ state: string }>(
      "select process_state as state from state.steps where task_id = $1 and name = $2",
      [taskId, step],
    )
  )[0]?.state;
const endOf = async (taskId: string) =>
  (
    await db.query<{ output: object | null; detail: string | null; code: string | null }>(
      `select output, fault_detail as detail, fault_code as code
         from state.step_payloads join state.steps using (task_id, name)
        where task_id = $1 and name = 'release'`,
      [taskId],
    )
  )[0];
const nothingWrong = async () =>
  expect(await scheduler.findInvariantViolations({ batch: 10 })).toEqual([]);

/** Has so much time pass for what waits, and for its tasks. */
const pass = (span: string) =>
  db.query(
    `set session_replication_role = replica;
     update state.tasks set paused_at = paused_at - interval '${span}';
     update state.waits set deadline = deadline - interval '${span}', due_at = due_at - interval '${span}',
                            opened_at = opened_at - interval '${span}', came_at = came_at - interval '${span}';
     update state.steps set not_before = not_before - interval '${span}' where process_state = 'awaiting';
     reset session_replication_role`,
  );

const act = (taskId: string, kind: "paused" | "resumed") =>
  operations.applyEvents([{ taskId, event: { kind } }], { actor: "o" });
const undo = (taskId: string) =>
  operations.applyEvents([{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }], {
    actor: "o",
  });

describe("a decision", () => {
  test("ends the step at once that people decide, and says who approved it", async () => {
    const taskId = await opened();
    expect(await fire()).toEqual([]);
    const form = { account: "DE02" };
    expect(await decide(taskId, { reason: "fine", form })).toEqual(counted());
    expect(await fire()).toMatchObject([{ taskId, step: "release" }]);
    expect(await endOf(taskId)).toMatchObject({
      output: {
        decision: "approved",
        fired: "approval",
        at: expect.any(String),
        by: [{ id: "ada@example.com", name: "Ada", at: expect.any(String), reason: "fine" }],
        form,
      },
    });
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test("is one of as many as the step needs, each of another person", async () => {
    const taskId = await wanted("two.v1");
    const of = { quorum: 2 };
    expect(await decide(taskId, of)).toEqual(counted({ isDecided: false }));
    expect(await fire()).toEqual([]);
    expect(await decide(taskId, of)).toEqual(counted({ isDecided: false, replayed: true }));
    expect(await stateOf(taskId)).toBe("awaiting");
    const last = { ...of, ...bob, form: { n: 2 } };
    expect(await decide(taskId, last)).toEqual(counted({ approvals: 2 }));
    expect(await fire()).toHaveLength(1);
    expect((await endOf(taskId))?.output).toMatchObject({
      by: [{ id: "ada@example.com" }, { id: "bob@example.com" }],
      form: { n: 2 },
    });
    await nothingWrong();
  });

  test("that rejects decides alone, undoes the task, and says who and why", async () => {
    const taskId = await wanted("two.v1");
    await decide(taskId, { quorum: 2 });
    expect(await decide(taskId, { quorum: 2, ...bob, ...rejects })).toEqual(counted());
    expect(await fire()).toHaveLength(1);
    expect(await endOf(taskId)).toMatchObject({
      code: "approval.rejected",
      detail: "Bob rejected it: too much",
    });
    const [task] = await db.query("select goal, fault_code as code from state.tasks");
    expect(task).toEqual({ goal: "undo", code: "approval.rejected" });
    await nothingWrong();
  });

  test("that rejects halts the task where its step says so, and no operator resolves it", async () => {
    const taskId = await wanted("halted-by.v1");
    await decide(taskId, rejects);
    expect(await fire()).toHaveLength(1);
    const [task] = await db.query("select process_state as state from state.tasks");
    expect(task).toEqual({ state: "halted" });
    const event = { kind: "resolved", step: "release", attempt: 0 } as const;
    const { outcomes } = await operations.applyEvents([{ taskId, event, output: {} }], {
      actor: "o",
    });
    expect(outcomes).toMatchObject([{ applied: false, reason: "needs_decision" }]);
    await nothingWrong();
  });

  test("is the same once more in the same words, also after the step has ended", async () => {
    const taskId = await wanted("two.v1");
    const said = { quorum: 2, reason: "fine", form: { a: 1, b: [2] } };
    const first = await decide(taskId, said);
    const same = { ...said, form: { b: [2], a: 1 } };
    expect(await decide(taskId, same)).toEqual({ ...first, replayed: true });
    await decide(taskId, { ...said, ...bob });
    await fire();
    expect(await decide(taskId, same)).toEqual({
      ...first,
      replayed: true,
      approvals: 2,
      isDecided: true,
    });
    expect(await submission.findDecisions({ taskId, step: "release" })).toHaveLength(2);
  });

  test.each([
    ["the other way", rejects],
    ["for another reason", { reason: "after all" }],
    ["with another form", { form: { a: 1 } }],
  ])("cannot be changed by who said it: %s", async (_, changes) => {
    const taskId = await wanted("two.v1");
    await decide(taskId, { quorum: 2 });
    const answer = await decide(taskId, { quorum: 2, ...changes });
    expect(answer).toEqual(refused("approval.decided_already", null));
    expect(answer).toMatchObject({ decisions: [{ id: "ada@example.com", decision: "approve" }] });
    await nothingWrong();
  });

  test("is refused before the step waits, and then is not", async () => {
    const taskId = await wanted("releasing.v1");
    expect(await decide(taskId)).toEqual(refused("approval.not_open", null));
    const [claim] = await claimAll(scheduler);
    await scheduler.applyEvents([{ taskId, event: completed(claim!), output: {} }], {
      actor: "test",
    });
    expect(await decide(taskId)).toEqual(counted());
  });

  test("is refused where there is no such task, or no such step", async () => {
    const none = "01900000-0000-7000-8000-000000000000";
    expect(await decide(none)).toEqual(refused("task.unknown", null));
    expect(await decide(await wanted("two.v1"), { step: "none" })).toEqual(
      refused("task.unknown", null),
    );
  });

  test("about one step says nothing of another of its task", async () => {
    const taskId = await wanted("both.v1");
    await decide(taskId, { step: "second" });
    expect(await fire()).toMatchObject([{ step: "second" }]);
    expect(await stateOf(taskId)).toBe("awaiting");
    await decide(taskId);
    expect(await fire()).toMatchObject([{ step: "release" }]);
    expect(await submission.findDecisions({ taskId, step: null })).toMatchObject([
      { step: "release" },
      { step: "second" },
    ]);
    await nothingWrong();
  });

  test("by operators or by a fired wait is none: nothing but its audience ends the step", async () => {
    const taskId = await wanted("lasting.v1");
    const event = { kind: "waitEnded", step: "release", by: "operator" } as const;
    const { outcomes } = await operations.applyEvents([{ taskId, event }], { actor: "o" });
    expect(outcomes).toMatchObject([{ applied: false, reason: "needs_decision" }]);
  });
});

describe("a decision that comes too late", () => {
  test.each<[string, string, string | null, (taskId: string) => Promise<unknown>]>([
    ["it is approved", "two.v1", "approved", (taskId) => approvedByTwo(taskId)],
    [
      "it is approved, and no Scheduler has ended it yet",
      "lasting.v1",
      "approved",
      (taskId) => decide(taskId),
    ],
    [
      "it is rejected, and no Scheduler has ended it yet",
      "lasting.v1",
      "rejected",
      (taskId) => decide(taskId, rejects),
    ],
    [
      "it is rejected",
      "lasting.v1",
      "rejected",
      async (taskId) => {
        await decide(taskId, rejects);
        await fire();
      },
    ],
    [
      "its time has passed",
      "failing.v1",
      "expired",
      async () => {
        await pass("4 days");
        await fire();
      },
    ],
    ["its time has passed, which nobody approved", "one.v1", "rejected", expires],
    ["its time has passed, which approves it", "passing.v1", "approved", expires],
    ["the task is undone", "lasting.v1", "cancelled", (taskId) => undo(taskId)],
  ])("is refused, and says what became of the step: %s", async (_, workflow, outcome, happens) => {
    const taskId = await wanted(workflow);
    await happens(taskId);
    const quorum = workflow === "two.v1" || workflow === "passing.v1" ? 2 : 1;
    const eve = { actor: "eve@example.com", actorName: "Eve", quorum };
    expect(await decide(taskId, eve)).toEqual(refused("approval.over", outcome));
    expect(await decide(taskId, { ...eve, ...rejects })).toEqual(refused("approval.over", outcome));
    await fire();
    await nothingWrong();
  });

  test("as its deadline has passed is refused, also before a Scheduler has ended the step", async () => {
    const taskId = await wanted("failing.v1");
    await pass("4 days");
    expect(await decide(taskId)).toMatchObject({ kind: "refused", code: "approval.over" });
    expect(await fire()).toHaveLength(1);
    expect(await endOf(taskId)).toMatchObject({ code: "wait.expired" });
    await nothingWrong();
  });
});

const approvedByTwo = async (taskId: string) => {
  await decide(taskId, { quorum: 2 });
  await decide(taskId, { quorum: 2, ...bob });
  await fire();
};
async function expires(): Promise<void> {
  await pass("4 days");
  await fire();
}

describe("a deadline of what people decide", () => {
  test("approves the step where it says so, with those who approved until then", async () => {
    const taskId = await wanted("passing.v1");
    await decide(taskId, { quorum: 2 });
    await expires();
    expect((await endOf(taskId))?.output).toEqual({
      decision: "approved",
      fired: "deadline",
      at: expect.any(String),
      by: [expect.objectContaining({ id: "ada@example.com" })],
      form: null,
    });
    await nothingWrong();
  });

  test.each([
    ["one.v1", "approval.rejected"],
    ["failing.v1", "wait.expired"],
  ])("of %s fails the step with %s, and undoes the task", async (workflow, code) => {
    const taskId = await wanted(workflow);
    await expires();
    expect(await endOf(taskId)).toMatchObject({
      code,
      detail: expect.stringContaining("treasury"),
      output: null,
    });
    await nothingWrong();
  });

  test.each(["passing.v1", "one.v1"])(
    "of %s does not pass while the task is paused, and is moved on by that",
    async (workflow) => {
      const taskId = await wanted(workflow);
      await act(taskId, "paused");
      await pass("4 days");
      expect(await fire()).toEqual([]);
      expect(await fire()).toEqual([]);
      expect(await stateOf(taskId)).toBe("awaiting");
      await act(taskId, "resumed");
      expect(await fire()).toEqual([]);
      const [wait] = await db.query<{ days: number; same: boolean }>(
        `select round(extract(epoch from waits.deadline - now()) / 86400)::integer as days,
                waits.deadline = not_before and due_at = waits.deadline as same
           from state.waits join state.steps on steps.task_id = waits.task_id and name = step`,
      );
      expect(wait).toEqual({ days: 3, same: true });
      await decide(taskId, rejects);
      expect(await fire()).toHaveLength(1);
      expect(await endOf(taskId)).toMatchObject({ code: "approval.rejected" });
      await nothingWrong();
    },
  );

  test("lets people decide while the task is paused, though it would have passed", async () => {
    const taskId = await wanted("one.v1");
    await act(taskId, "paused");
    await pass("4 days");
    await fire();
    expect(await decide(taskId)).toEqual(counted());
    expect(await fire()).toHaveLength(1);
    expect(await claimAll(scheduler)).toEqual([]);
    await act(taskId, "resumed");
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test("does not pass while an operator is to look at the task", async () => {
    const taskId = await wanted("halting.v1");
    const [claim] = await claimAll(scheduler);
    await scheduler.applyEvents([{ taskId, event: failed(claim!, { transient: false }) }], {
      actor: "test",
    });
    await expires();
    expect(await stateOf(taskId)).toBe("awaiting");
    expect(await decide(taskId)).toEqual(counted());
    expect(await fire()).toHaveLength(1);
    expect(await stateOf(taskId)).toBe("processed");
    await nothingWrong();
  });
});

describe("a rejection", () => {
  test("undoes nothing while the task is paused, and does so once it goes on", async () => {
    const taskId = await wanted("one.v1");
    await act(taskId, "paused");
    expect(await decide(taskId, rejects)).toEqual(counted({ approvals: 0 }));
    expect(await fire()).toEqual([]);
    expect(await scheduler.fireWaits(round)).toMatchObject({ postponed: 0, nextIn: null });
    expect(await stateOf(taskId)).toBe("awaiting");
    expect(await decide(taskId, bob)).toEqual(refused("approval.over", "rejected"));
    await nothingWrong();
    await act(taskId, "resumed");
    expect(await fire()).toHaveLength(1);
    expect(await endOf(taskId)).toMatchObject({ code: "approval.rejected" });
    await nothingWrong();
  });

  test("undoes nothing while an operator is to look at the task, and does so once it goes on", async () => {
    const taskId = await wanted("halting.v1");
    const [claim] = await claimAll(scheduler);
    await scheduler.applyEvents([{ taskId, event: failed(claim!, { transient: false }) }], {
      actor: "test",
    });
    await decide(taskId, rejects);
    expect(await fire()).toEqual([]);
    await nothingWrong();
    await operations.applyEvents(
      [{ taskId, event: { kind: "resolved", step: "x", attempt: 1 }, output: {} }],
      { actor: "o" },
    );
    expect(await fire()).toHaveLength(1);
    expect(await endOf(taskId)).toMatchObject({ code: "approval.rejected" });
    await nothingWrong();
  });

  test("of a task that is undone meanwhile is of no effect", async () => {
    const taskId = await wanted("one.v1");
    await act(taskId, "paused");
    await decide(taskId, rejects);
    await undo(taskId);
    await fire();
    expect(await stateOf(taskId)).toBe("cancelled");
    const [task] = await db.query("select fault_code as code from state.tasks");
    expect(task).toEqual({ code: "operator.cancel" });
    await nothingWrong();
  });
});

describe("who may not decide", () => {
  test("is to be said by a text, or the step fails at once", async () => {
    const taskId = await wanted("excluding.v1", { input: { owner: 7 } });
    expect(await fire()).toHaveLength(1);
    expect(await endOf(taskId)).toMatchObject({
      code: "approval.exclusion_unknown",
      detail: expect.stringContaining("/input/owner"),
    });
    const known = await wanted("excluding.v1", { input: { owner: "eve@example.com" } });
    expect(await fire()).toEqual([]);
    expect(await stateOf(known)).toBe("awaiting");
    await nothingWrong();
  });
});
