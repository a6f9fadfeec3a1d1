import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

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
  await operations.registerWorkflow(resting);
  await operations.registerWorkflow(beginning);
  await operations.registerWorkflow(until);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("outbox", "alerts", "instances"));

const day = 86_400_000;
const resting = testWorkflow(
  [{ name: "a" }, { name: "rest", wait: { for: 30 * day } }, { name: "b" }],
  "resting.v1",
);
/** It waits before it asks an Agent. */
const beginning = testWorkflow(
  [{ name: "rest", wait: { for: 2 * day } }, { name: "b" }],
  "beginning.v1",
);
const until = testWorkflow(
  [{ name: "rest", wait: { until: { $ref: "/input/at" } } }, { name: "b" }],
  "until.v1",
);

const submit = async (workflow: string, input: object = { x: 1 }): Promise<string> => {
  const [one] = await submission.submitTasks([newTask({ workflow, input: { ...input } })], {
    actor: "test",
  });
  return one?.kind === "created" ? one.taskId : "";
};

/** Submits a task of `resting.v1`, and completes its first step. */
async function rested(): Promise<string> {
  const taskId = await submit("resting.v1");
  const [claim] = await claimAll(scheduler);
  const { name: step, attempt, token } = claim!;
  const completed = { kind: "completed", step, attempt, token } as const;
  await scheduler.applyEvents([{ taskId, event: completed, output: { y: 2 } }], { actor: "test" });
  return taskId;
}

const round = { actor: "test", most: 100, expected: null };

/** Makes waits due, as if their time had come. */
const passes = () =>
  db.query(
    `set session_replication_role = replica;
     update state.waits set deadline = now() - interval '1 second', due_at = now() - interval '1 second';
     update state.steps set not_before = waits.deadline from state.waits
      where waits.task_id = steps.task_id and waits.step = steps.name;
     reset session_replication_role`,
  );

const steps = (taskId: string) =>
  db.query<{ name: string; state: string }>(
    "select name, process_state as state from state.steps where task_id = $1 order by name",
    [taskId],
  );
const waits = () => db.query<{ step: string }>("select step from state.waits order by step");
const nothingWrong = async () =>
  expect(await scheduler.findInvariantViolations({ batch: 10 })).toEqual([]);

describe("a step that waits", () => {
  test("is written down with its deadline by the commit that ends the step before it", async () => {
    const taskId = await rested();
    expect(await steps(taskId)).toEqual([
      { name: "a", state: "processed" },
      { name: "b", state: "waiting" },
      { name: "rest", state: "awaiting" },
    ]);
    const [wait] = await db.query(
      `select step, kind, due_at = deadline as due,
              deadline between now() + interval '29 days' and now() + interval '30 days' as later,
              deadline = (select not_before from state.steps where name = 'rest') as same
         from state.waits`,
    );
    expect(wait).toEqual({
      step: "rest",
      kind: "wait",
      due: true,
      later: true,
      same: true,
    });
    const { nextIn, fired } = await scheduler.fireWaits(round);
    expect(fired).toEqual([]);
    expect(nextIn).toBeGreaterThan(29 * day);
    await nothingWrong();
  });

  test("ends once its time has come, and the step after it is due", async () => {
    const taskId = await rested();
    await passes();
    const found = await scheduler.fireWaits(round);
    expect(found).toMatchObject({ fired: [{ taskId, step: "rest" }], postponed: 0, held: null });
    expect(await waits()).toEqual([]);
    expect((await scheduler.fireWaits(round)).fired).toEqual([]);
    expect(await claimAll(scheduler)).toMatchObject([{ taskId, name: "b" }]);
    const [output] = await db.query(
      "select output ->> 'fired' as fired, output ->> 'at' as at from state.step_payloads where name = 'rest'",
    );
    expect(output).toEqual({ fired: "deadline", at: expect.stringMatching(/^\d{4}-.*Z$/) });
    await nothingWrong();
  });

  test("that comes first begins with the submission", async () => {
    const taskId = await submit("beginning.v1");
    expect(await steps(taskId)).toMatchObject([{ state: "waiting" }, { state: "awaiting" }]);
    expect(await waits()).toEqual([{ step: "rest" }]);
    expect(await claimAll(scheduler)).toEqual([]);
    await passes();
    await scheduler.fireWaits(round);
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test("is ended by an operator before its time", async () => {
    const taskId = await rested();
    const event = { kind: "waitEnded", step: "rest", by: "operator" } as const;
    const { outcomes } = await operations.applyEvents([{ taskId, event }], {
      actor: "o",
      note: "now",
    });
    expect(outcomes).toMatchObject([{ applied: true }]);
    expect(await waits()).toEqual([]);
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    await nothingWrong();
  });

  test.each(["operations", "supervisor"] as const)(
    "is gone once its task is undone by %s",
    async (role) => {
      const taskId = await rested();
      const store = { operations, supervisor }[role];
      await store.applyEvents(
        [{ taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
        {
          actor: "o",
        },
      );
      expect(await waits()).toEqual([]);
      await passes();
      expect((await scheduler.fireWaits(round)).fired).toEqual([]);
      expect(await claimAll(scheduler)).toMatchObject([{ name: "a:undo" }]);
      await nothingWrong();
    },
  );

  test("begins when its task is resumed, by the Supervisor as well", async () => {
    const taskId = await submit("resting.v1");
    const [claim] = await claimAll(scheduler);
    const { name: step, attempt, token } = claim!;
    const completed = { kind: "completed", step, attempt, token } as const;
    await operations.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "o" });
    await scheduler.applyEvents([{ taskId, event: completed, output: {} }], { actor: "test" });
    expect(await waits()).toEqual([]);
    await nothingWrong();
    await supervisor.applyEvents([{ taskId, event: { kind: "resumed" } }], { actor: "o" });
    expect(await waits()).toEqual([{ step: "rest" }]);
    await nothingWrong();
  });
});

describe("a wait until a value says so", () => {
  test.each([
    ["an instant that has passed", "2020-01-01T00:00:00Z", "processed"],
    ["no instant", "tomorrow", "error"],
    ["null", null, "error"],
  ])("ends at once for %s", async (_, at, state) => {
    const taskId = await submit("until.v1", { at });
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ taskId, step: "rest" }]);
    expect(await steps(taskId)).toContainEqual({ name: "rest", state });
    expect(await waits()).toEqual([]);
    await nothingWrong();
  });

  test("that is no instant says so, names the value, and undoes the task", async () => {
    const taskId = await submit("until.v1", { at: null });
    await scheduler.fireWaits(round);
    const [task] = await db.query(
      `select tasks.process_state as state, tasks.fault_code as code, fault_detail as detail
         from state.tasks join state.step_payloads using (task_id)
        where tasks.task_id = $1`,
      [taskId],
    );
    expect(task).toEqual({
      state: "undone",
      code: "wait.time_invalid",
      detail: expect.stringContaining("/input/at"),
    });
  });
});

describe("a round", () => {
  test("takes the earliest, at most so many, and says that more are due", async () => {
    for (let count = 0; count < 5; count += 1) await submit("beginning.v1");
    await passes();
    const { fired, nextIn } = await scheduler.fireWaits({ ...round, most: 3 });
    expect(fired).toHaveLength(3);
    expect(nextIn).toBe(0);
    expect((await scheduler.fireWaits({ ...round, most: 3 })).fired).toHaveLength(2);
  });

  test("is shared by two Schedulers, and ends no wait twice", async () => {
    for (let count = 0; count < 20; count += 1) await submit("beginning.v1");
    await passes();
    const found = await Promise.all(
      [1, 2, 3].map(() => scheduler.fireWaits({ ...round, most: 10 })),
    );
    const last = await scheduler.fireWaits(round);
    const fired = [...found, last].flatMap((one) => one.fired.map(({ taskId }) => taskId));
    expect(fired.toSorted()).toEqual([...new Set(fired)].toSorted());
    expect(fired).toHaveLength(20);
    await nothingWrong();
  });

  test("leaves a wait for later whose task is locked, and ends the others", async () => {
    const [locked, free] = [await submit("beginning.v1"), await submit("beginning.v1")];
    await passes();
    await db.query("begin");
    await db.query("select from state.tasks where task_id = $1 for update", [locked]);
    const found = await scheduler.fireWaits(round);
    await db.query("commit");
    expect(found).toMatchObject({ fired: [{ taskId: free }], postponed: 1 });
    const [wait] = await db.query(
      "select due_at > deadline as postponed from state.waits where task_id = $1",
      [locked],
    );
    expect(wait).toEqual({ postponed: true });
  });

  test("holds what a jump of the clock made due for a quarter of an hour, and alerts", async () => {
    const [before, within] = [await submit("beginning.v1"), await submit("beginning.v1")];
    await db.query(
      `set session_replication_role = replica;
       update state.waits set deadline = now() - interval '2 hours', due_at = now() - interval '2 hours'
        where task_id = '${before}';
       update state.waits set deadline = now() - interval '30 minutes', due_at = now() - interval '30 minutes'
        where task_id = '${within}';
       update state.steps set not_before = waits.deadline from state.waits
        where waits.task_id = steps.task_id and waits.step = steps.name;
       reset session_replication_role`,
    );
    const jumped = { ...round, expected: Date.now() - 3_600_000 };
    expect(await scheduler.fireWaits(jumped)).toMatchObject({
      fired: [{ taskId: before }],
      held: 1,
    });
    expect((await scheduler.fireWaits(round)).fired).toEqual([]);
    const [wait] = await db.query(
      `select due_at between now() + interval '14 minutes' and now() + interval '15 minutes' as held
         from state.waits where task_id = $1`,
      [within],
    );
    expect(wait).toEqual({ held: true });
    expect(await db.query("select kind, code from state.alerts")).toEqual([
      { kind: "store.clock_jumped", code: "store.clock_jumped" },
    ]);
    await nothingWrong();
  });

  test("takes a clock that is less than a minute ahead for no jump", async () => {
    await submit("beginning.v1");
    await passes();
    const { fired, held } = await scheduler.fireWaits({ ...round, expected: Date.now() - 50_000 });
    expect(fired).toHaveLength(1);
    expect(held).toBeNull();
  });
});

test("a deadline cannot be changed, and the store refuses a wait of a step that asks an Agent", async () => {
  await rested();
  await expect(db.query("update state.waits set deadline = now()")).rejects.toThrow("for good");
  await expect(
    db.query("update state.steps set process_state = 'awaiting' where name = 'b'"),
  ).rejects.toThrow("awaiting_only_without_an_agent");
});

test("a workflow whose steps wait is refused while a process of an earlier release is running", async () => {
  await db.query(
    "insert into state.instances (service, instance, version, format) values ('scheduler', 'old-1', '0.0.9', 1)",
  );
  const stored = operations.registerWorkflow({ ...resting, name: "late.v1" });
  await expect(stored).rejects.toMatchObject({
    code: "workflow.format_too_new",
    message: expect.stringContaining("scheduler old-1 (0.0.9)"),
  });
  await operations.registerWorkflow(testWorkflow([{ name: "a" }], "plain.v1"));
  await db.query("update state.instances set seen_at = now() - interval '1 minute'");
  expect(await operations.registerWorkflow({ ...resting, name: "late.v1" })).toBe("created");
  await db.query("delete from state.instances");
});
