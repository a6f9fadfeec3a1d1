import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  newTask,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../state-store.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
let courier: StateStore;
beforeAll(async () => {
  const halting = { onFailure: "halt" as const };
  ({ db, submission, operations, scheduler } = await openTestStores(
    testWorkflow([{ name: "a" }, { name: "b", ...halting }]),
    testWorkflow([{ name: "a" }], "other.v1"),
  ));
  courier = await db.open("scheduler", {
    withoutFaults: "notices that are taken and lost are given again, after their lease",
  });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts", "pauses", "dead_letters", "dead_letter_alerts"));

const actor = "scheduler-1";
const replyTo = "status.shop";

const submit = (changes: Parameters<typeof newTask>[0] = {}) => submitOne(submission, changes);

/** Claims what is due and has it answered. */
async function work(answer: typeof completed | typeof failed = completed): Promise<void> {
  const claims = await claimAll(scheduler);
  await scheduler.applyEvents(
    claims.map((claim) => ({ taskId: claim.taskId, event: answer(claim) })),
    { actor },
  );
}

const refused: typeof failed = (claim) => failed(claim, { transient: false, code: "test.refused" });
const version = async (taskId: string): Promise<number> =>
  (await submission.findTask({ taskId, tenant: "default" }))?.version ?? 0;
const taken = () => courier.takeNotifications({ lease: 60_000 });
const stateOf = async (taskId: string) =>
  (await submission.findTask({ taskId, tenant: "default" }))?.processState;
const violations = () => submission.findInvariantViolations({ batch: 10 });

describe("a notification", () => {
  test("goes to the queue that the submitter named, from acceptance to end, with rising numbers", async () => {
    const taskId = await submit({ replyTo, correlationId: "c-1" });
    await work();
    await work();
    const notices = await taken();
    expect(notices.map(({ body, address }) => [address, "event" in body && body.event])).toEqual([
      [replyTo, "received"],
      [replyTo, "progress"],
      [replyTo, "processed"],
    ]);
    const numbers = notices.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
    expect(new Set(numbers).size).toBe(3);
    expect(notices[2]?.body).toMatchObject({
      taskId,
      correlationId: "c-1",
      state: "processed",
      steps: [{ name: "b", state: "processed" }],
    });
  });

  test("is not written if the submitter named no queue, except alerts", async () => {
    await submit();
    await work();
    await work();
    expect(await taken()).toEqual([]);
  });

  test("leaves in order: while one Scheduler holds the first, no other sends the next", async () => {
    await submit({ replyTo });
    const [first] = await taken();
    await work();
    expect(await taken()).toEqual([]);
    await scheduler.deleteNotifications({ ids: [first?.id ?? ""], delivered: [] });
    expect(await taken()).toMatchObject([{ body: { event: "progress" } }]);
  });

  test("is released by a Scheduler that died while it held it", async () => {
    await submit({ replyTo });
    await courier.takeNotifications({ lease: -1 });
    expect(await taken()).toHaveLength(1);
  });

  test("is held by one Scheduler: rivals divide the subjects among themselves", async () => {
    for (let count = 0; count < 20; count += 1) await submit({ replyTo });
    const all = await Promise.all(Array.from({ length: 8 }, taken));
    const ids = all.flat().map(({ id }) => id);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
  });

  test("is taken from each destination in turn, alerts apart, and from no delayed destination", async () => {
    for (const queue of ["status.a", "status.b", "status.c"]) await submit({ replyTo: queue });
    await scheduler.recordDeadLetters([
      {
        queue: "dead.replies",
        reason: "rejected",
        messageId: null,
        type: null,
        sender: null,
        body: Buffer.from("{"),
      },
    ]);
    const addresses = async (options: object) =>
      (await courier.takeNotifications({ lease: -1, kind: "status", ...options })).map(
        ({ destination }) => destination,
      );
    const delayed = ["status status.b"];
    expect(await addresses({ delayed })).toEqual(["status status.a", "status status.c"]);
    expect(await addresses({ after: "status status.a" })).toEqual([
      "status status.b",
      "status status.c",
    ]);
    expect(await courier.takeNotifications({ lease: -1, kind: "alert" })).toMatchObject([
      { destination: "alert message.dead" },
    ]);
  });

  test("is dropped if it could not be sent: a status after a day, all others after thirty", async () => {
    await db.query(
      `insert into state.outbox (subject, channel, seq, address, body, at)
       select subject, channel, 1, case channel when 'status' then 'status.x' end, '{"kind": "x"}',
              now() - days * interval '24 hours'
         from (values ('a', 'status', 0.9), ('b', 'status', 1.1), ('c', 'alert', 29), ('d', 'alert', 31),
                      ('e', 'event', 29), ('f', 'event', 31)) as old (subject, channel, days)`,
    );
    expect(await scheduler.deleteStaleNotifications()).toBe(3);
    const left = await db.query<{ subject: string }>(
      "select subject from state.outbox order by subject",
    );
    expect(left.map(({ subject }) => subject)).toEqual(["a", "c", "e"]);
  });

  test("alerts once for each time that a task halts", async () => {
    const taskId = await submit();
    await work();
    await work(refused);
    expect(await stateOf(taskId)).toBe("error");
    const [alert, ...others] = await taken();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      channel: "alert",
      body: { kind: "task.halted", taskId, step: "b", code: "test.refused" },
    });
    await operations.applyEvents(
      [{ taskId, event: { kind: "resubmitted", step: "b", attempt: 1, inputChanged: false } }],
      { actor: "ann" },
    );
    await work(refused);
    await scheduler.deleteNotifications({ ids: [alert?.id ?? ""], delivered: [alert?.id ?? ""] });
    expect(await taken()).toHaveLength(1);
    const alerts = await db.query("select told_at is null as unsent from state.alerts order by id");
    expect(alerts).toEqual([{ unsent: false }, { unsent: true }]);
    expect(await violations()).toEqual([]);
  });

  test("alerts about an unreadable message, and records when the alert was acknowledged", async () => {
    await scheduler.recordDeadLetters([
      {
        queue: "dead.replies",
        reason: "rejected",
        messageId: null,
        type: null,
        sender: "payments",
        body: Buffer.from("{"),
      },
    ]);
    const [alert] = await taken();
    expect(alert).toMatchObject({
      channel: "alert",
      body: { kind: "message.dead", code: "rejected", detail: "dead.replies", taskId: null },
    });
    await scheduler.deleteNotifications({ ids: [alert?.id ?? ""], delivered: [alert?.id ?? ""] });
    const [kept] = await db.query("select told_at is not null as told from state.alerts");
    expect(kept).toEqual({ told: true });
  });

  test("alerts at the first failure of an undo, and not at every further one", async () => {
    const taskId = await submit({ workflow: "other.v1" });
    await work();
    expect(await stateOf(taskId)).toBe("processed");
    const undone = await submit();
    await work();
    await operations.applyEvents(
      [{ taskId: undone, event: { kind: "undoRequested", code: "operator.undo" } }],
      { actor: "ann" },
    );
    await work(failed);
    await db.query(
      "update state.steps set not_before = now() - interval '1 s' where process_state = 'pending'",
    );
    await scheduler.stageDueSteps();
    await work(failed);
    expect(await taken()).toMatchObject([{ body: { kind: "undo.failing", step: "a:undo" } }]);
  });
});

describe("an operator", () => {
  const ann = { actor: "ann", note: "the customer called" };

  test("changes only the version that he has seen: a second click is refused", async () => {
    const taskId = await submit();
    const expectedVersion = await version(taskId);
    const reportedEvent = { taskId, expectedVersion, event: { kind: "paused" as const } };
    const clicks = await Promise.all(
      Array.from({ length: 10 }, () => operations.applyEvents([reportedEvent], ann)),
    );
    const outcomes = clicks.map(({ outcomes: [outcome] }) => outcome);
    expect(outcomes.filter((outcome) => outcome?.applied)).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome?.applied ? [] : [outcome?.reason]));
    expect(refusals).toEqual(Array(9).fill("version_changed"));
  });

  test("appears in the history with the reason that he gave", async () => {
    const taskId = await submit();
    await operations.applyEvents([{ taskId, event: { kind: "paused" } }], ann);
    await operations.applyEvents(
      [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
      ann,
    );
    const events = await submission.findEvents({ taskId });
    expect(events.filter(({ step, note }) => step === null && note !== null)).toMatchObject([
      { action: "pause", actor: "ann", note: ann.note },
      { action: "undo", reason: "operator.cancel", actor: "ann", note: ann.note },
      { action: "summarise", toState: "compensated", actor: "ann" },
    ]);
  });

  test("pauses a task: nothing of it is claimed until he resumes it", async () => {
    const taskId = await submit();
    await operations.applyEvents([{ taskId, event: { kind: "paused" } }], ann);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: { by: "ann", reason: ann.note },
    });
    expect(await violations()).toEqual([]);
    await operations.applyEvents([{ taskId, event: { kind: "resumed" } }], ann);
    expect(await claimAll(scheduler)).toHaveLength(1);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: null,
    });
  });

  test("corrects the input of a step that failed", async () => {
    const taskId = await submit();
    await work();
    await work(refused);
    await operations.applyEvents(
      [
        {
          taskId,
          event: { kind: "resubmitted", step: "b", attempt: 1, inputChanged: true },
          correctedInput: { x: 2 },
        },
      ],
      ann,
    );
    const values = await scheduler.loadValues([{ taskId, name: "b" }]);
    expect(values.get(taskId)?.correctedInputs.get("b")).toEqual({ x: 2 });
  });

  test("sees which Agents still work on a task that he has undone", async () => {
    const taskId = await submit();
    const [claim] = await claimAll(scheduler);
    const { obsoleteAttempts } = await operations.applyEvents(
      [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
      ann,
    );
    expect(obsoleteAttempts).toEqual([{ taskId, step: "a", attempt: 1, token: claim?.token }]);
  });
});

describe("a pause", () => {
  const wish = { actor: "ann", reason: "maintenance" };

  test("of an Agent applies from the next claim until it is lifted, and exists once", async () => {
    await submit();
    const agent = { kind: "agent" as const, name: "agent", ...wish };
    const clicks = await Promise.all(Array.from({ length: 10 }, () => operations.pause(agent)));
    expect(clicks.filter(Boolean)).toHaveLength(1);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await operations.resume(agent)).toBe(true);
    expect(await operations.resume(agent)).toBe(false);
    expect(await claimAll(scheduler)).toHaveLength(1);
    expect(await operations.findPauses()).toMatchObject([{ ...agent, resumedBy: "ann" }]);
  });

  test("of a workflow does not affect other workflows, and loses no step of its own", async () => {
    for (let count = 0; count < 5; count += 1) await submit({ workflow: "other.v1" });
    const kept = await submit();
    const other = { kind: "workflow" as const, name: "other.v1", ...wish };
    await operations.pause(other);
    expect((await claimAll(scheduler)).map(({ taskId }) => taskId)).toEqual([kept]);

    expect((await scheduler.stageDueSteps()).hasPauses).toBe(true);
    expect(await scheduler.applyPauses()).toBe(5);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await scheduler.stageDueSteps()).toMatchObject({ nextIn: null });

    await operations.resume(other);
    expect(await scheduler.applyPauses()).toBe(5);
    expect(await claimAll(scheduler)).toHaveLength(5);
    expect(await scheduler.applyPauses()).toBe(0);
    expect((await scheduler.stageDueSteps()).hasPauses).toBe(false);
  });
});

test("the store keeps the last heartbeat of each instance of an Agent", async () => {
  const beat = { agent: "agent", instance: "i-1", capacity: 10, inFlight: 3 };
  await scheduler.recordHeartbeats([
    { ...beat, breaker: "closed", openForMs: 0 },
    { ...beat, breaker: "open", openForMs: 5_000 },
  ]);
  const known = await db.query(
    "select instance, breaker, breaker_until > now() as open from state.agents",
  );
  expect(known).toEqual([{ instance: "i-1", breaker: "open", open: true }]);
});

test("an Agent's operations are those of all its running instances", async () => {
  const beat = {
    agent: "announcer",
    capacity: 10,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
  } as const;
  const record = async (instance: string, announced?: readonly string[]) => {
    await scheduler.recordHeartbeats([
      { ...beat, instance, ...(announced === undefined ? {} : { operations: announced }) },
    ]);
    const known = await submission.findKnownAgents();
    return known.find(({ agent }) => agent === "announcer")?.operations;
  };
  const pass = (minutes: number) =>
    db.query(
      `update state.agents set seen_at = seen_at - interval '${minutes} minutes' where agent = 'announcer'`,
    );
  expect(await record("i-1", ["cancel", "book"])).toEqual(["book", "cancel"]);
  expect(await record("i-2", ["book", "move"])).toEqual(["book", "cancel", "move"]);
  expect(await record("i-1", [])).toEqual(["book", "move"]);
  // One that does not say what it performs may perform anything.
  expect(await record("i-3")).toBeNull();
  await pass(2);
  expect(await record("i-1", ["book"])).toEqual(["book"]);
  // All are down: what ran last counts.
  await pass(60);
  expect(
    (await submission.findKnownAgents()).find(({ agent }) => agent === "announcer"),
  ).toMatchObject({
    operations: ["book"],
  });
});

test("the submission role may insert orders, and change none", async () => {
  const [submitted] = await submission.submitTasks([newTask()], { actor: "shop" });
  if (submitted?.kind !== "created") throw new Error("nothing was submitted");
  const denied = { code: "store.failed", message: expect.stringContaining("permission denied") };
  const { taskId } = submitted;
  const agent = { kind: "agent", name: "agent", actor: "shop", reason: "-" } as const;
  await expect(
    submission.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "shop" }),
  ).rejects.toMatchObject(denied);
  await expect(submission.pause(agent)).rejects.toMatchObject(denied);
});
