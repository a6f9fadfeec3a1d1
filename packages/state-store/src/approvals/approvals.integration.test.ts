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
  ...[
    ["halting.v1", []],
    ["blind.v1", [{ $ref: "/input/owner" }]],
  ].map(([name, excludes]) =>
    testWorkflow(
      [
        { name: "x", onFailure: "halt", undo: null },
        { ...release, after: [], excludes: excludes as [] },
      ],
      name as string,
    ),
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
const refused = (code: string, outcome: unknown) => ({
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

  test("is refused before the step waits, and taken from then on", async () => {
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

  test("is made by no operator in the place of the audience", async () => {
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

  test("is not known while an operator is to look at the task either, and none may decide", async () => {
    const taskId = await wanted("blind.v1", { input: { owner: 7 } });
    const [claim] = await claimAll(scheduler);
    await scheduler.applyEvents([{ taskId, event: failed(claim!, { transient: false }) }], {
      actor: "test",
    });
    expect(await decide(taskId)).toMatchObject({ kind: "refused", code: "approval.over" });
    await nothingWrong();
  });
});

/** A Scheduler and a service of submission that publish what happens. */
const telling = async () => ({
  scheduler: await db.open("scheduler", { events: true }),
  submission: await db.open("submission", { events: true }),
});
const told = () =>
  db.query<{ event: string; seq: number; body: { decision?: string | null } }>(
    `select body ->> 'event' as event, seq, body from state.outbox
      where channel = 'event' and body ->> 'audience' is not null order by id`,
  );
const dueIn = async () =>
  (
    await db.query<{ hours: string | null }>(
      "select round(extract(epoch from due_at - now()) / 360) / 10 as hours from state.waits",
    )
  ).map(({ hours }) => (hours === null ? null : Number(hours)));

describe("those who decide", () => {
  test("are asked, reminded again and again until they have decided, and learn what came of it", async () => {
    const { scheduler: one, submission: other } = await telling();
    const taskId = await submitOne(other, { workflow: "reminding.v1", correlationId: "c-1" });
    expect(await dueIn()).toEqual([1]);
    for (let reminder = 0; reminder < 2; reminder += 1) {
      expect(await one.fireWaits(round)).toMatchObject({ fired: [], hasNotifications: false });
      await pass("61 minutes");
      expect(await one.fireWaits(round)).toMatchObject({
        fired: [],
        postponed: 1,
        hasNotifications: true,
      });
      expect(await dueIn()).toEqual([1]);
    }
    await decide(taskId);
    expect((await one.fireWaits(round)).fired).toHaveLength(1);
    await pass("61 minutes");
    expect((await one.fireWaits(round)).fired).toHaveLength(0);
    const all = await told();
    expect(all.map(({ event }) => event)).toEqual([
      "approval.wanted",
      "approval.reminded",
      "approval.reminded",
      "approval.decided",
    ]);
    const [wanting] = all;
    expect(wanting?.body).toEqual({
      taskId,
      correlationId: "c-1",
      sequence: 1,
      event: "approval.wanted",
      workflow: "reminding.v1",
      step: "release",
      audience: "treasury",
      quorum: 1,
      deadline: expect.stringMatching(/Z$/),
      decision: null,
      at: expect.stringMatching(/Z$/),
    });
    expect(all.map(({ body }) => body.decision)).toEqual([null, null, null, "approved"]);
    await nothingWrong();
  });

  test("are sent nothing where services publish no events, and the wait goes on all the same", async () => {
    const taskId = await wanted("reminding.v1");
    await pass("61 minutes");
    expect(await scheduler.fireWaits(round)).toMatchObject({ hasNotifications: false });
    expect(await told()).toEqual([]);
    expect(await dueIn()).toEqual([1]);
    await decide(taskId);
    expect(await fire()).toHaveLength(1);
  });

  test("have their last reminder before the deadline, which comes no later for it", async () => {
    await wanted("reminding.v1");
    await pass("71 hours 30 minutes");
    await fire();
    expect(await dueIn()).toEqual([0.5]);
    await pass("31 minutes");
    expect(await fire()).toHaveLength(1);
    await nothingWrong();
  });

  test("are reminded while the task is paused, and after it", async () => {
    const { scheduler: one } = await telling();
    const taskId = await wanted("reminding.v1");
    await act(taskId, "paused");
    await pass("61 minutes");
    await one.fireWaits(round);
    await act(taskId, "resumed");
    expect(await dueIn()).toEqual([1]);
    await pass("61 minutes");
    await one.fireWaits(round);
    expect((await told()).map(({ event }) => event)).toEqual([
      "approval.reminded",
      "approval.reminded",
    ]);
    await nothingWrong();
  });

  test("are not reminded of a task that is undone, or held up by a deadline that has passed", async () => {
    const { scheduler: one } = await telling();
    const undone = await wanted("reminding.v1");
    await undo(undone);
    const held = await wanted("reminding.v1");
    await act(held, "paused");
    await pass("4 days");
    await one.fireWaits(round);
    await one.fireWaits(round);
    expect(await told()).toEqual([]);
    await act(held, "resumed");
    await one.fireWaits(round);
    expect(await dueIn()).toEqual([1]);
    await nothingWrong();
  });

  test.each([
    ["failing.v1", "expired", () => pass("4 days")],
    ["one.v1", "rejected", () => pass("4 days")],
    ["one.v1", "rejected", (taskId: string) => decide(taskId, rejects)],
    ["passing.v1", "approved", () => pass("4 days")],
  ])("learn that %s is %s", async (workflow, outcome, happens) => {
    const { scheduler: one } = await telling();
    await happens(await wanted(workflow));
    await one.fireWaits(round);
    expect((await told()).map(({ event, body }) => [event, body.decision])).toEqual([
      ["approval.decided", outcome],
    ]);
  });
});

describe("the list of what people are to decide", () => {
  const list = (changes: Partial<Parameters<StateStore["findApprovals"]>[0]> = {}) =>
    submission.findApprovals({
      audiences: null,
      taskId: null,
      undecidedBy: null,
      after: null,
      most: 100,
      ...changes,
    });
  const stepsIn = async (changes?: Parameters<typeof list>[0]) =>
    (await list(changes)).items.map(({ taskId, step }) => `${taskId} ${step}`);

  test("has what they need to know, the oldest first", async () => {
    const first = await wanted("two.v1", { key: "order-1", submittedBy: "checkout" });
    await decide(first, { quorum: 2, reason: "fine", form: { n: 1 } });
    const second = await wanted("lasting.v1");
    await act(second, "paused");
    const { items, next } = await list();
    const instant = expect.stringMatching(/^\d{4}-.*Z$/);
    const voice = { id: "ada@example.com", name: "Ada", decision: "approve", reason: "fine" };
    expect(items).toEqual([
      {
        taskId: first,
        step: "release",
        workflow: "two.v1",
        businessKey: "order-1",
        submittedBy: "checkout",
        audience: "treasury",
        openedAt: instant,
        deadline: instant,
        isPaused: false,
        decisions: [expect.objectContaining({ ...voice, form: { n: 1 }, at: instant })],
      },
      expect.objectContaining({
        taskId: second,
        businessKey: null,
        submittedBy: null,
        deadline: null,
        isPaused: true,
        decisions: [],
      }),
    ]);
    expect(next).toBeNull();
  });

  test("is of those audiences that are asked for, of one task, and without what one has decided", async () => {
    const both = await wanted("both.v1");
    const two = await wanted("two.v1");
    await decide(two, { quorum: 2 });
    expect(await stepsIn()).toEqual([`${both} release`, `${both} second`, `${two} release`]);
    expect(await stepsIn({ audiences: ["legal"] })).toEqual([`${both} second`]);
    expect(await stepsIn({ audiences: [] })).toEqual([]);
    expect(await stepsIn({ taskId: two })).toEqual([`${two} release`]);
    const undecidedBy = "ada@example.com";
    expect(await stepsIn({ undecidedBy })).toEqual([`${both} release`, `${both} second`]);
    expect(await stepsIn({ undecidedBy: bob.actor, taskId: two })).toHaveLength(1);
  });

  test("leaves out what is decided, has ended or has not begun", async () => {
    const [decided, undone, ended] = [
      await wanted("lasting.v1"),
      await wanted("lasting.v1"),
      await wanted("lasting.v1"),
    ];
    await decide(ended);
    await fire();
    await decide(decided);
    await undo(undone);
    await wanted("releasing.v1");
    expect(await stepsIn()).toEqual([]);
  });

  test("comes in pages that leave nothing out and show nothing twice", async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await wanted("both.v1"));
    const seen: string[] = [];
    for (let after: string | null = null, pages = 0; pages === 0 || after !== null; pages += 1) {
      const page = await list({ after, most: 3 });
      seen.push(...page.items.map(({ taskId, step }) => `${taskId} ${step}`));
      after = page.next;
      expect(pages).toBeLessThan(4);
    }
    expect(seen).toEqual(ids.flatMap((id) => [`${id} release`, `${id} second`]));
  });
});

test("what people have said is deleted with its task", async () => {
  const [old, young] = [await wanted("lasting.v1"), await wanted("lasting.v1")];
  for (const taskId of [old, young]) {
    await decide(taskId, rejects);
    expect(await fire()).toHaveLength(1);
  }
  await db.query(
    `set session_replication_role = replica;
     update state.tasks set finished_at = now() - interval '40 days' where task_id = '${old}';
     reset session_replication_role`,
  );
  const [{ month } = { month: "" }] = await db.query<{ month: string }>(
    "select state.month_of(now())::text as month",
  );
  const supervisor = await db.open("supervisor");
  const keep = 30 * 24 * hour;
  expect(await supervisor.deleteFinishedTasks({ month, keep, batch: 10 })).toBe(1);
  expect(await submission.findDecisions({ taskId: old, step: null })).toEqual([]);
  expect(await submission.findDecisions({ taskId: young, step: null })).toHaveLength(1);
  await nothingWrong();
});

/** How often two things are done at once. */
const races = 40;

/** Does something with each of these tasks, one after the other. */
async function inTurn(
  tasks: Awaited<ReturnType<typeof submitMany>>,
  happens: (taskId: string) => Promise<void>,
): Promise<void> {
  for (const one of tasks) await happens(one.kind === "created" ? one.taskId : "");
}

/** Ends what is due until so many steps have ended. */
async function untilFired(count: number): Promise<void> {
  for (let fired = 0; fired < count; ) fired += (await fire()).length;
}

describe("of what happens at once", () => {
  const people = ["ada", "bob", "eve", "dan"].map((name) => ({ actor: name, actorName: name }));

  test.each([
    ["one.v1", 1],
    ["two.v1", 2],
  ])(
    "decisions of four people about %s count as often as it needs, and one of them decides",
    async (workflow, quorum) => {
      const tasks = await submitMany(submission, races, { workflow });
      await inTurn(tasks, async (taskId) => {
        const answers = await Promise.all(
          people.map((who) => submission.recordDecision(decision(taskId, { ...who, quorum }))),
        );
        const kept = answers.filter(({ kind }) => kind === "counted");
        expect(kept).toHaveLength(quorum);
        expect(kept.filter((one) => "isDecided" in one && one.isDecided)).toHaveLength(1);
      });
      await untilFired(races);
      expect(await db.query("select count(*)::int as n from state.decisions")).toEqual([
        { n: quorum * races },
      ]);
      await nothingWrong();
    },
  );

  test("an approval and a rejection end a step in one way, which its answers say", async () => {
    const tasks = await submitMany(submission, races, { workflow: "one.v1" });
    await inTurn(tasks, async (taskId) => {
      const [yes, no] = await Promise.all([decide(taskId), decide(taskId, { ...bob, ...rejects })]);
      expect([yes.kind, no.kind].toSorted()).toEqual(["counted", "refused"]);
      const [late] = [yes, no].filter(({ kind }) => kind === "refused");
      expect(late).toMatchObject({ outcome: yes.kind === "counted" ? "approved" : "rejected" });
      await untilFired(1);
      expect(await stateOf(taskId)).toBe(yes.kind === "counted" ? "processed" : "error");
    });
    await nothingWrong();
  });

  test("the same decision sent twice counts once", async () => {
    const tasks = await submitMany(submission, races, { workflow: "two.v1" });
    await inTurn(tasks, async (taskId) => {
      const answers = await Promise.all([1, 2, 3].map(() => decide(taskId, { quorum: 2 })));
      const [first] = answers;
      const same = { ...first, replayed: expect.any(Boolean) };
      expect(answers).toEqual([same, same, same]);
      expect(first).toMatchObject({ approvals: 1, isDecided: false });
    });
  });

  test("a decision and the deadline end a step in one way, which the answer says", async () => {
    const seen = new Set<string>();
    let nth = 0;
    await inTurn(await submitMany(submission, races, { workflow: "one.v1" }), async (taskId) => {
      nth += 1;
      await db.query(
        `set session_replication_role = replica;
         update state.waits set deadline = clock_timestamp() + interval '${nth % 10} ms' where task_id = '${taskId}';
         update state.waits set due_at = deadline where task_id = '${taskId}';
         update state.steps set not_before = waits.deadline from state.waits
          where waits.task_id = steps.task_id and waits.step = steps.name and steps.task_id = '${taskId}';
         reset session_replication_role`,
      );
      const ending = async (): Promise<void> => {
        while ((await stateOf(taskId)) === "awaiting") await fire();
      };
      const [answer] = await Promise.all([decide(taskId), ending()]);
      const isCounted = answer.kind === "counted";
      if (!isCounted) expect(answer).toEqual(refused("approval.over", expect.any(String)));
      expect(await stateOf(taskId)).toBe(isCounted ? "processed" : "error");
      seen.add(answer.kind);
    });
    expect(seen).toEqual(new Set(["counted", "refused"]));
    await nothingWrong();
  });

  test("a decision and a cancellation leave a task that is right", async () => {
    const tasks = await submitMany(submission, races, { workflow: "one.v1" });
    await inTurn(tasks, async (taskId) => {
      const [answer] = await Promise.all([decide(taskId), fire(), undo(taskId)]);
      await fire();
      if (answer.kind === "refused")
        expect(answer).toMatchObject({ code: "approval.over", outcome: "cancelled" });
      expect(["processed", "cancelled"]).toContain(await stateOf(taskId));
      await decide(taskId, { ...bob });
    });
    await nothingWrong();
  });

  test("decisions and two Schedulers end each step once", async () => {
    const other = await db.open("scheduler");
    const tasks = await submitMany(submission, races, { workflow: "one.v1" });
    const ends = new Map<string, number>();
    const firing = async (store: StateStore): Promise<void> => {
      while (ends.size < races) {
        for (const { taskId } of (await store.fireWaits(round)).fired) {
          ends.set(taskId, (ends.get(taskId) ?? 0) + 1);
        }
      }
    };
    await Promise.all([
      firing(scheduler),
      firing(other),
      ...tasks.map((one) => decide(one.kind === "created" ? one.taskId : "")),
    ]);
    expect([...ends.values()].every((times) => times === 1)).toBe(true);
    await nothingWrong();
  });
});
