import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  failed,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { refused, work } from "../../test/replies.ts";
import type { StateStore } from "../roles.ts";

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
beforeEach(() => db.clear("outbox", "alerts", "dead_letters", "dead_letter_alerts"));

const replyTo = "status.shop";
const submit = (changes: Parameters<typeof submitOne>[1] = {}) => submitOne(submission, changes);
const taken = () => courier.takeNotifications({ lease: 60_000 });
const stateOf = async (taskId: string) =>
  (await submission.findTask({ taskId, tenant: "default" }))?.processState;
const violations = () => submission.findInvariantViolations({ batch: 10 });

describe("a notification", () => {
  test("goes to the queue that the submitter named, from acceptance to end, with rising numbers", async () => {
    const taskId = await submit({ replyTo, correlationId: "c-1" });
    await work(scheduler);
    await work(scheduler);
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
    await work(scheduler);
    await work(scheduler);
    expect(await taken()).toEqual([]);
  });

  test("leaves in order: while one Scheduler holds the first, no other sends the next", async () => {
    await submit({ replyTo });
    const [first] = await taken();
    await work(scheduler);
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
    await work(scheduler);
    await work(scheduler, refused);
    expect(await stateOf(taskId)).toBe("halted");
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
    await work(scheduler, refused);
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
    await work(scheduler);
    expect(await stateOf(taskId)).toBe("processed");
    const undone = await submit();
    await work(scheduler);
    await operations.applyEvents(
      [{ taskId: undone, event: { kind: "undoRequested", code: "operator.cancel" } }],
      { actor: "ann" },
    );
    await work(scheduler, failed);
    await db.query(
      "update state.steps set not_before = now() - interval '1 s' where process_state = 'pending'",
    );
    await scheduler.stageDueSteps();
    await work(scheduler, failed);
    expect(await taken()).toMatchObject([{ body: { kind: "undo.failing", step: "a:undo" } }]);
  });
});
