import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { StateStore } from "./open-state-store.ts";
import {
  claimAll,
  completed,
  failed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "./testing.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
let scheduler: StateStore;
let courier: StateStore;
beforeAll(async () => {
  db = await openTestStore();
  submission = await db.open("submission");
  operations = await db.open("operations");
  scheduler = await db.open("scheduler");
  courier = await db.open("scheduler", {
    withoutFaults: "notices that are taken and lost are given again, after their lease",
  });
  const halting = { onFailure: "halt" as const };
  await submission.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b", ...halting }]));
  await submission.registerWorkflow(testWorkflow([{ name: "a" }], "other.v1"));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query(
    `truncate state.tasks, state.steps, state.events, state.task_payloads, state.step_payloads,
              state.outbox, state.alerts, state.pauses, state.dead_letters, state.dead_letter_alerts`,
  );
});

const actor = "scheduler-1";
const replyTo = "status.shop";

async function submit(changes: Parameters<typeof newTask>[0] = {}): Promise<string> {
  const [submitted] = await submission.submitTasks([newTask(changes)], { actor: "test" });
  if (submitted?.kind !== "created") throw new Error("not submitted");
  return submitted.taskId;
}

/** Claims what is due and has it answered. */
async function work(answer: typeof completed | typeof failed = completed): Promise<void> {
  const claims = await claimAll(scheduler);
  await scheduler.applyIncidents(
    claims.map((claim) => ({ taskId: claim.taskId, event: answer(claim) })),
    { actor },
  );
}

const refused: typeof failed = (claim) => failed(claim, { transient: false, code: "test.refused" });
const version = async (taskId: string): Promise<number> =>
  (await submission.findTask({ taskId, tenant: "default" }))?.version ?? 0;
const taken = () => courier.takeNotices({ lease: 60_000 });
const stateOf = async (taskId: string) =>
  (await submission.findTask({ taskId, tenant: "default" }))?.processState;
const violations = () => submission.findInvariantViolations({ batch: 10 });

describe("what is told", () => {
  test("goes to whoever asked for it: from the receipt to the end, with numbers that rise", async () => {
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

  test("is nothing when nobody asked, but for what a person must look at", async () => {
    await submit();
    await work();
    await work();
    expect(await taken()).toEqual([]);
  });

  test("leaves in order: while one Scheduler has the first, nobody sends the next", async () => {
    await submit({ replyTo });
    const [first] = await taken();
    await work();
    expect(await taken()).toEqual([]);
    await scheduler.deleteNotices({ ids: [first?.id ?? ""], heard: [] });
    expect(await taken()).toMatchObject([{ body: { event: "progress" } }]);
  });

  test("is given up by a Scheduler that died with it", async () => {
    await submit({ replyTo });
    await courier.takeNotices({ lease: -1 });
    expect(await taken()).toHaveLength(1);
  });

  test("rivals share the subjects, and nobody has one that another has", async () => {
    for (let count = 0; count < 20; count += 1) await submit({ replyTo });
    const all = await Promise.all(Array.from({ length: 8 }, taken));
    const ids = all.flat().map(({ id }) => id);
    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
  });

  test("is taken of each destination in turn, alerts apart, and none of those that rest", async () => {
    for (const queue of ["status.a", "status.b", "status.c"]) await submit({ replyTo: queue });
    await scheduler.keepDeadLetters([
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
      (await courier.takeNotices({ lease: -1, kind: "news", ...options })).map(
        ({ destination }) => destination,
      );
    const resting = ["status status.b"];
    expect(await addresses({ resting })).toEqual(["status status.a", "status status.c"]);
    expect(await addresses({ after: "status status.a" })).toEqual([
      "status status.b",
      "status status.c",
    ]);
    expect(await courier.takeNotices({ lease: -1, kind: "alert" })).toMatchObject([
      { destination: "alert message.dead" },
    ]);
  });

  test("is given up when nobody could send it: a status after a day, all others after thirty", async () => {
    await db.query(
      `insert into state.outbox (subject, channel, seq, address, body, at)
       select subject, channel, 1, case channel when 'status' then 'status.x' end, '{"kind": "x"}',
              now() - days * interval '24 hours'
         from (values ('a', 'status', 0.9), ('b', 'status', 1.1), ('c', 'alert', 29), ('d', 'alert', 31),
                      ('e', 'event', 29), ('f', 'event', 31)) as old (subject, channel, days)`,
    );
    expect(await scheduler.deleteStaleNotices()).toBe(3);
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
    await operations.applyIncidents(
      [{ taskId, event: { kind: "resubmitted", step: "b", attempt: 1, inputChanged: false } }],
      { actor: "ann" },
    );
    await work(refused);
    await scheduler.deleteNotices({ ids: [alert?.id ?? ""], heard: [alert?.id ?? ""] });
    expect(await taken()).toHaveLength(1);
    const alerts = await db.query("select told_at is null as untold from state.alerts order by id");
    expect(alerts).toEqual([{ untold: false }, { untold: true }]);
    expect(await violations()).toEqual([]);
  });

  test("alerts of a message that nobody could read, and knows when somebody heard", async () => {
    await scheduler.keepDeadLetters([
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
    await scheduler.deleteNotices({ ids: [alert?.id ?? ""], heard: [alert?.id ?? ""] });
    const [kept] = await db.query("select told_at is not null as told from state.alerts");
    expect(kept).toEqual({ told: true });
  });

  test("alerts at the first failure of an undo, and not at every further one", async () => {
    const taskId = await submit({ workflow: "other.v1" });
    await work();
    expect(await stateOf(taskId)).toBe("processed");
    const undone = await submit();
    await work();
    await operations.applyIncidents(
      [{ taskId: undone, event: { kind: "undoRequested", code: "operator.undo" } }],
      { actor: "ann" },
    );
    await work(failed);
    await db.query(
      "update state.steps set not_before = now() - interval '1 s' where process_state = 'pending'",
    );
    await scheduler.promoteRestedSteps();
    await work(failed);
    expect(await taken()).toMatchObject([{ body: { kind: "undo.failing", step: "a:undo" } }]);
  });
});

describe("an operator", () => {
  const ann = { actor: "ann", note: "the customer called" };

  test("acts on what he has seen, and on nothing else: the second click is refused", async () => {
    const taskId = await submit();
    const expectedVersion = await version(taskId);
    const incident = { taskId, expectedVersion, event: { kind: "paused" as const } };
    const clicks = await Promise.all(
      Array.from({ length: 10 }, () => operations.applyIncidents([incident], ann)),
    );
    const outcomes = clicks.map(({ outcomes: [outcome] }) => outcome);
    expect(outcomes.filter((outcome) => outcome?.applied)).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) => (outcome?.applied ? [] : [outcome?.reason]));
    expect(refusals).toEqual(Array(9).fill("version_changed"));
  });

  test("stands in the history with his words", async () => {
    const taskId = await submit();
    await operations.applyIncidents([{ taskId, event: { kind: "paused" } }], ann);
    await operations.applyIncidents(
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
    await operations.applyIncidents([{ taskId, event: { kind: "paused" } }], ann);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: { by: "ann", reason: ann.note },
    });
    expect(await violations()).toEqual([]);
    await operations.applyIncidents([{ taskId, event: { kind: "resumed" } }], ann);
    expect(await claimAll(scheduler)).toHaveLength(1);
    expect(await submission.findTask({ taskId, tenant: "default" })).toMatchObject({
      paused: null,
    });
  });

  test("corrects the input of a step that failed", async () => {
    const taskId = await submit();
    await work();
    await work(refused);
    await operations.applyIncidents(
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

  test("is told what Agents still do for a task that he has undone", async () => {
    const taskId = await submit();
    const [claim] = await claimAll(scheduler);
    const { needless } = await operations.applyIncidents(
      [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
      ann,
    );
    expect(needless).toEqual([{ taskId, step: "a", attempt: 1, token: claim?.token }]);
  });
});

describe("a pause", () => {
  const wish = { actor: "ann", reason: "maintenance" };

  test("of an Agent is in force at the next claim, once, and until it is lifted", async () => {
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

  test("of a workflow leaves the others alone, and loses nothing of its own", async () => {
    for (let count = 0; count < 5; count += 1) await submit({ workflow: "other.v1" });
    const kept = await submit();
    const other = { kind: "workflow" as const, name: "other.v1", ...wish };
    await operations.pause(other);
    expect((await claimAll(scheduler)).map(({ taskId }) => taskId)).toEqual([kept]);

    expect((await scheduler.promoteRestedSteps()).hasPauses).toBe(true);
    expect(await scheduler.keepPauses()).toBe(5);
    expect(await claimAll(scheduler)).toEqual([]);
    expect(await scheduler.promoteRestedSteps()).toMatchObject({ nextIn: null });

    await operations.resume(other);
    expect(await scheduler.keepPauses()).toBe(5);
    expect(await claimAll(scheduler)).toHaveLength(5);
    expect(await scheduler.keepPauses()).toBe(0);
    expect((await scheduler.promoteRestedSteps()).hasPauses).toBe(false);
  });
});

test("keeps the last word of each instance of an Agent", async () => {
  const beat = { agent: "agent", instance: "i-1", capacity: 10, inFlight: 3 };
  await scheduler.keepHeartbeats([
    { ...beat, breaker: "closed", openForMs: 0 },
    { ...beat, breaker: "open", openForMs: 5_000 },
  ]);
  const known = await db.query(
    "select instance, breaker, breaker_until > now() as open from state.agents",
  );
  expect(known).toEqual([{ instance: "i-1", breaker: "open", open: true }]);
});

test("what faces customers may take orders, and change none", async () => {
  const [submitted] = await submission.submitTasks([newTask()], { actor: "shop" });
  if (submitted?.kind !== "created") throw new Error("nothing was submitted");
  const denied = { code: "store.failed", message: expect.stringContaining("permission denied") };
  const { taskId } = submitted;
  const agent = { kind: "agent", name: "agent", actor: "shop", reason: "-" } as const;
  await expect(
    submission.applyIncidents([{ taskId, event: { kind: "paused" } }], { actor: "shop" }),
  ).rejects.toMatchObject(denied);
  await expect(submission.pause(agent)).rejects.toMatchObject(denied);
});
