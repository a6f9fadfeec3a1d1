import { contractHash } from "@holdfast/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  attemptOf,
  claimAll,
  completed,
  failed,
  newTask,
  openTestStore,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { HeldSignal } from "./signals.ts";

let db: TestStore;
let scheduler: StateStore;
let supervisor: StateStore;
let operations: StateStore;
let submission: StateStore;
beforeAll(async () => {
  db = await openTestStore();
  scheduler = await db.open("scheduler");
  supervisor = await db.open("supervisor");
  operations = await db.open("operations");
  submission = await db.open("submission");
  for (const workflow of [paying, hoping, twice, halting])
    await operations.registerWorkflow(workflow);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts"));

const day = 86_400_000;
const paying = testWorkflow(
  [{ name: "a" }, { name: "paid", signal: "paid", late: "alert" }, { name: "b" }],
  "paying.v1",
);
/** It goes on without a signal. */
const hoping = testWorkflow(
  [{ name: "hint", signal: "hint", onDeadline: "continue" }, { name: "b" }],
  "hoping.v1",
);
/** Two steps wait for the same, one beside the other. */
const twice = testWorkflow(
  [
    { name: "first", signal: "go", after: [] },
    { name: "second", signal: "go", after: [] },
    { name: "b", after: ["first", "second"] },
  ],
  "twice.v1",
);

/** A workflow in which a step may fail that a person has to look at, beside the one that waits. */
const halting = testWorkflow(
  [
    { name: "x", onFailure: "halt", undo: null },
    { name: "paid", signal: "paid", after: [] },
  ],
  "halting.v1",
);

const round = { actor: "test", most: 100, expected: null };

interface Sent {
  readonly name?: string;
  readonly id?: string;
  readonly payload?: object;
}

/** Sends one signal to a task; what became of it. */
async function send(
  taskId: string,
  workflow: string,
  { name = "paid", id = "1", payload = { amount: 1 } }: Sent = {},
) {
  const signal = { taskId, workflow, name, id, payload: { ...payload }, sentBy: "bank" };
  const [sent] = await submission.sendSignals([signal]);
  return sent!;
}
const accepted = (replayed = false) => ({ kind: "accepted", at: expect.any(String), replayed });
const refused = (code: string) => ({ kind: "refused", code });

/** Completes the first step of a task of `paying.v1`, after which it waits. */
async function waiting(): Promise<string> {
  const taskId = await submitOne(submission, { workflow: "paying.v1" });
  await completeOne();
  return taskId;
}
async function completeOne(): Promise<void> {
  const [claim] = await claimAll(scheduler);
  const event = completed(claim!);
  await scheduler.applyEvents([{ taskId: claim!.taskId, event, output: { y: 2 } }], {
    actor: "test",
  });
}

const stateOf = async (taskId: string, step: string) =>
  (
    await db.query<{ state: string }>(
      "select process_state as state from state.steps where task_id = $1 and name = $2",
      [taskId, step],
    )
  )[0]?.state;
const outputOf = async (step: string) =>
  (
    await db.query<{ output: object }>(
      "select output from state.step_payloads where name = $1 and output is not null",
      [step],
    )
  )[0]?.output;
const alerts = () => db.query("select kind, step, code from state.alerts order by id");
const nothingWrong = async () =>
  expect(await scheduler.findInvariantViolations({ batch: 10 })).toEqual([]);

/** Has all deadlines pass. */
const passes = () =>
  db.query(
    `set session_replication_role = replica;
     update state.waits set deadline = now() - interval '1 second',
                            due_at = case when due_at is not null then now() - interval '1 second' end;
     update state.steps set not_before = waits.deadline from state.waits
      where waits.task_id = steps.task_id and waits.step = steps.name;
     reset session_replication_role`,
  );

const act = (taskId: string, kind: "paused" | "resumed") =>
  operations.applyEvents([{ taskId, event: { kind } }], { actor: "o" });
const undo = (taskId: string) =>
  operations.applyEvents([{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }], {
    actor: "o",
  });

describe("a signal", () => {
  test("ends the wait for it at once, and is what the step returns", async () => {
    const taskId = await waiting();
    expect(await send(taskId, "paying.v1")).toEqual(accepted());
    const { fired } = await scheduler.fireWaits(round);
    expect(fired).toMatchObject([{ taskId, step: "paid" }]);
    expect(await outputOf("paid")).toEqual({
      fired: "signal",
      at: expect.any(String),
      payload: { amount: 1 },
    });
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    expect(await submission.listSignals({ taskId })).toEqual([
      {
        name: "paid",
        id: "1",
        payload: { amount: 1 },
        sentBy: "bank",
        at: expect.any(String),
        takenBy: "paid",
        isLate: false,
      },
    ]);
    await nothingWrong();
  });

  test("that comes before its step is kept for it", async () => {
    const taskId = await submitOne(submission, { workflow: "paying.v1" });
    expect(await send(taskId, "paying.v1")).toEqual(accepted());
    expect((await scheduler.fireWaits(round)).fired).toEqual([]);
    await completeOne();
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ step: "paid" }]);
    await nothingWrong();
  });

  test("is the same signal with the same id, and no other payload", async () => {
    const taskId = await waiting();
    const first = await send(taskId, "paying.v1");
    expect(await send(taskId, "paying.v1")).toEqual({ ...first, replayed: true });
    expect(await send(taskId, "paying.v1", { payload: { amount: 2 } })).toEqual(
      refused("signal.id_reused"),
    );
    await scheduler.fireWaits(round);
    expect(await send(taskId, "paying.v1")).toEqual({ ...first, replayed: true });
    expect(await submission.listSignals({ taskId })).toHaveLength(1);
  });

  test("is taken once, by the step that waits for it, and others of its name stay", async () => {
    const taskId = await submitOne(submission, { workflow: "twice.v1" });
    await send(taskId, "twice.v1", { name: "go" });
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(1);
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(0);
    expect(await db.query("select from state.waits where due_at = deadline")).toHaveLength(1);
    await send(taskId, "twice.v1", { name: "go", id: "2", payload: { n: 2 } });
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(1);
    const found = await submission.listSignals({ taskId });
    const takers = found.map(({ takenBy }) => takenBy ?? "none");
    expect(takers.toSorted()).toEqual(["first", "second"]);
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test("of several of a name, each ends one of the waits that are due together", async () => {
    const taskId = await submitOne(submission, { workflow: "twice.v1" });
    for (const id of ["1", "2", "3"]) {
      await send(taskId, "twice.v1", { name: "go", id, payload: { id } });
    }
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(2);
    const found = await submission.listSignals({ taskId });
    expect(found.map(({ takenBy }) => takenBy)).toEqual([
      expect.any(String),
      expect.any(String),
      null,
    ]);
    await nothingWrong();
  });

  test("that is there wins over a deadline that has passed", async () => {
    const taskId = await waiting();
    await passes();
    expect(await send(taskId, "paying.v1")).toEqual(accepted());
    await scheduler.fireWaits(round);
    expect(await stateOf(taskId, "paid")).toBe("processed");
  });

  test("does not stay too long unseen where a transaction may not read it all", async () => {
    const payload = { text: "x".repeat(3_000_000) };
    const tasks = [await waiting(), await waiting()];
    for (const taskId of tasks) await send(taskId, "paying.v1", { payload });
    expect(await scheduler.fireWaits(round)).toMatchObject({ fired: [{}], nextIn: 0 });
    expect(await scheduler.fireWaits(round)).toMatchObject({ fired: [{}] });
    await nothingWrong();
  });
});

describe("a signal that no step can take any more", () => {
  test.each([
    ["the task is being undone", async (taskId: string) => void (await undo(taskId))],
    [
      "its step has had one",
      async (taskId: string) => {
        await send(taskId, "paying.v1", { id: "before" });
        await scheduler.fireWaits(round);
      },
    ],
    [
      "its deadline has passed",
      async () => {
        await passes();
        await scheduler.fireWaits(round);
      },
    ],
  ])("is kept, refused and alerted on: %s", async (_, happens) => {
    const taskId = await waiting();
    await happens(taskId);
    expect(await send(taskId, "paying.v1", { id: "late" })).toEqual(refused("signal.too_late"));
    expect(await send(taskId, "paying.v1", { id: "late" })).toEqual(refused("signal.too_late"));
    const late = (await alerts()).filter(
      (alert) => "kind" in alert && alert.kind === "signal.too_late",
    );
    expect(late).toEqual([{ kind: "signal.too_late", step: "paid", code: "signal.too_late" }]);
    const found = await submission.listSignals({ taskId });
    expect(found.at(-1)).toMatchObject({ id: "late", isLate: true, takenBy: null });
    expect((await scheduler.fireWaits(round)).fired).toEqual([]);
    await nothingWrong();
  });

  test("is not alerted on unless its workflow says so", async () => {
    const taskId = await submitOne(submission, { workflow: "hoping.v1" });
    await undo(taskId);
    expect(await send(taskId, "hoping.v1", { name: "hint" })).toEqual(refused("signal.too_late"));
    expect(await alerts()).toEqual([]);
  });

  test("is refused without a trace if there is no such task", async () => {
    const none = "01900000-0000-7000-8000-000000000000";
    expect(await send(none, "paying.v1")).toEqual(refused("task.unknown"));
  });

  test("is one of a hundred, at most, that no step takes", async () => {
    const taskId = await submitOne(submission, { workflow: "paying.v1" });
    const signals = Array.from({ length: 101 }, (_, n) => ({
      taskId,
      workflow: "paying.v1",
      name: "paid",
      id: `${n}`,
      payload: {},
      sentBy: "bank",
    }));
    const sent = await submission.sendSignals(signals);
    expect(sent.filter(({ kind }) => kind === "accepted")).toHaveLength(100);
    expect(sent.at(-1)).toEqual(refused("signal.too_many"));
  });
});

describe("a deadline", () => {
  test("whose passing is a failure undoes the task, and says what did not come", async () => {
    const taskId = await waiting();
    await passes();
    await scheduler.fireWaits(round);
    expect(await stateOf(taskId, "paid")).toBe("error");
    expect(await claimAll(scheduler)).toMatchObject([{ name: "a:undo" }]);
    const [task] = await db.query(
      `select tasks.fault_code as code, fault_detail as detail
         from state.tasks join state.step_payloads using (task_id)
        where tasks.task_id = $1 and name = 'paid'`,
      [taskId],
    );
    expect(task).toEqual({ code: "wait.expired", detail: expect.stringContaining("paid") });
    await nothingWrong();
  });

  test("may be the end that the workflow expects", async () => {
    await submitOne(submission, { workflow: "hoping.v1" });
    await passes();
    await scheduler.fireWaits(round);
    expect(await outputOf("hint")).toEqual({
      fired: "deadline",
      at: expect.any(String),
      payload: null,
    });
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
  });

  test("fails nothing while the task is paused, and is moved on by the pause", async () => {
    const taskId = await waiting();
    await act(taskId, "paused");
    await db.query(
      `set session_replication_role = replica;
       update state.tasks set paused_at = paused_at - interval '1 day';
       update state.steps set not_before = not_before - interval '1 day' where process_state = 'awaiting';
       update state.waits set deadline = deadline - interval '1 day', opened_at = opened_at - interval '1 day';
       reset session_replication_role`,
    );
    await act(taskId, "resumed");
    const [moved] = await db.query<{ days: number }>(
      `select round(extract(epoch from waits.deadline - opened_at) / 86400)::integer as days,
              waits.deadline = not_before and due_at = waits.deadline as same
         from state.waits join state.steps on steps.task_id = waits.task_id and name = step`,
    );
    expect(moved).toEqual({ days: 4, same: true });
    await nothingWrong();
  });

  test("that had passed at the pause fails the step once the task goes on, and not before", async () => {
    const taskId = await waiting();
    await passes();
    await act(taskId, "paused");
    expect(await scheduler.fireWaits(round)).toMatchObject({ fired: [], postponed: 1 });
    expect(await scheduler.fireWaits(round)).toMatchObject({
      fired: [],
      postponed: 0,
      nextIn: null,
    });
    expect(await stateOf(taskId, "paid")).toBe("awaiting");
    await act(taskId, "resumed");
    await scheduler.fireWaits(round);
    expect(await stateOf(taskId, "paid")).toBe("error");
    await nothingWrong();
  });

  test("that was held up fails the step, also if another step took a signal meanwhile", async () => {
    const taskId = await submitOne(submission, { workflow: "twice.v1" });
    await passes();
    await act(taskId, "paused");
    await send(taskId, "twice.v1", { name: "go" });
    expect(await scheduler.fireWaits(round)).toMatchObject({ fired: [{}], postponed: 1 });
    await act(taskId, "resumed");
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(1);
    await nothingWrong();
  });

  test("fails nothing while a person is to look at the task, and then does", async () => {
    const taskId = await submitOne(submission, { workflow: "halting.v1" });
    const [claim] = await claimAll(scheduler);
    const event = failed(claim!, { transient: false });
    await scheduler.applyEvents([{ taskId, event }], { actor: "test" });
    await passes();
    await scheduler.fireWaits(round);
    expect(await stateOf(taskId, "paid")).toBe("awaiting");
    await nothingWrong();
    await operations.applyEvents(
      [{ taskId, event: { kind: "resolved", step: "x", attempt: 1 }, output: {} }],
      { actor: "o" },
    );
    await scheduler.fireWaits(round);
    expect(await stateOf(taskId, "paid")).toBe("error");
    await nothingWrong();
  });

  test("is no matter where the signal comes while the task is paused or halted", async () => {
    const taskId = await waiting();
    await passes();
    await act(taskId, "paused");
    await scheduler.fireWaits(round);
    await send(taskId, "paying.v1");
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ step: "paid" }]);
    expect(await claimAll(scheduler)).toEqual([]);
    await act(taskId, "resumed");
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test("is not ended by an operator if later steps need what the signal says", async () => {
    const taskId = await waiting();
    const event = { kind: "waitEnded", step: "paid", by: "operator" } as const;
    const { outcomes } = await operations.applyEvents([{ taskId, event }], { actor: "o" });
    expect(outcomes).toMatchObject([{ applied: false, reason: "needs_signal" }]);
  });
});

describe("a signal for a business key", () => {
  const contract = contractHash({ input: { type: "object" }, output: null })!;
  const held = (changes: Partial<HeldSignal> = {}): HeldSignal => ({
    tenant: "default",
    family: "paying",
    key: "order-1",
    contract,
    holdFor: day,
    name: "paid",
    id: "1",
    payload: { amount: 1 },
    sentBy: "bank",
    ...changes,
  });
  const submitted = (key: string) => submitOne(submission, { workflow: "paying.v1", key });

  test("is held until its task is submitted, and taken by it once", async () => {
    const first = await submission.holdSignal(held());
    expect(first).toEqual({ kind: "held", until: expect.any(String), replayed: false });
    expect(await submission.holdSignal(held())).toEqual({ ...first, replayed: true });
    expect(await submission.holdSignal(held({ payload: { amount: 2 } }))).toEqual(
      refused("signal.id_reused"),
    );
    await submission.holdSignal(held({ key: "order-2" }));
    const taskId = await submitted("order-1");
    expect(await submission.listSignals({ taskId })).toMatchObject([{ id: "1", takenBy: null }]);
    await completeOne();
    expect((await scheduler.fireWaits(round)).fired).toHaveLength(1);
    expect(await db.query("select key from state.mailbox")).toEqual([{ key: "order-2" }]);
    expect(await submission.holdSignal(held())).toEqual({ kind: "task", taskId });
    await nothingWrong();
  });

  test("names the open task of its key, and none that has ended", async () => {
    const taskId = await submitted("order-1");
    expect(await submission.holdSignal(held())).toEqual({ kind: "task", taskId });
    await undo(taskId);
    expect(await submission.holdSignal(held())).toMatchObject({ kind: "held" });
  });

  test("is kept with its task, taken by no step, if it fits another contract", async () => {
    await submission.holdSignal(held({ contract: "other" }));
    const taskId = await submitted("order-1");
    expect(await submission.listSignals({ taskId })).toMatchObject([{ id: "1", isLate: true }]);
    expect(await alerts()).toMatchObject([{ kind: "signal.invalid" }]);
  });

  test("is held anew once its time is over", async () => {
    await submission.holdSignal(held());
    await db.query("update state.mailbox set expires_at = now() - interval '1 second'");
    expect(await submission.holdSignal(held({ payload: { amount: 2 } }))).toMatchObject({
      kind: "held",
      replayed: false,
    });
    const taskId = await submitted("order-1");
    expect(await submission.listSignals({ taskId })).toMatchObject([{ payload: { amount: 2 } }]);
  });

  test("goes to the first step if that waits for it", async () => {
    await submission.holdSignal(held({ family: "hoping", name: "hint" }));
    await submitOne(submission, { workflow: "hoping.v1", key: "order-1" });
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ step: "hint" }]);
    await nothingWrong();
  });

  test("is deleted after its time, and a person is alerted", async () => {
    await submission.holdSignal(held({ holdFor: 1 }));
    await submission.holdSignal(held({ key: "order-2" }));
    await db.query(
      "update state.mailbox set expires_at = now() - interval '1 second' where key = 'order-1'",
    );
    const taskId = await submitted("order-1");
    expect(await submission.listSignals({ taskId })).toEqual([]);
    await submission.holdSignal(held({ key: "order-3" }));
    await db.query(
      "update state.mailbox set expires_at = now() - interval '1 second' where key = 'order-3'",
    );
    expect(await supervisor.deleteUnclaimedSignals({ batch: 10 })).toBe(1);
    expect(await supervisor.deleteUnclaimedSignals({ batch: 10 })).toBe(0);
    expect(await alerts()).toMatchObject([{ kind: "signal.unclaimed" }]);
  });

  test("is lost by no race with the submission of its task", async () => {
    for (let n = 0; n < 40; n += 1) {
      const key = `race-${n}`;
      const [outcome, [one]] = await Promise.all([
        submission.holdSignal(held({ key })),
        submission.submitTasks([newTask({ workflow: "paying.v1", key })], { actor: "test" }),
      ]);
      const taskId = one?.kind === "created" ? one.taskId : "";
      if (outcome.kind === "task") expect(outcome.taskId).toBe(taskId);
      else expect(await submission.listSignals({ taskId })).toHaveLength(1);
    }
  });
});

test("no signal and no wait miss each other", async () => {
  for (let n = 0; n < 40; n += 1) {
    const taskId = await submitOne(submission, { workflow: "paying.v1" });
    const [claim] = await claimAll(scheduler);
    const event = { kind: "completed", ...attemptOf(claim!) } as const;
    await Promise.all([
      scheduler.applyEvents([{ taskId, event, output: {} }], { actor: "test" }),
      send(taskId, "paying.v1"),
    ]);
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ taskId, step: "paid" }]);
    await db.query("truncate state.tasks, state.steps, state.waits, state.signals");
  }
});
