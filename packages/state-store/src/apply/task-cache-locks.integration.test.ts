import type { TaskEvent } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  newTask,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { record } from "../../test/replies.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
/** Claims, and so has tasks in its cache. */
let scheduler: StateStore;
/** Has not claimed the first steps, and so reads the tasks. */
let other: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }, { name: "c" }]);
  ({ db, submission, scheduler: other } = await openTestStores(workflow));
});
beforeEach(async () => {
  await db.clear();
  // A claim whose answer was lost puts nothing into the cache.
  scheduler = await db.open("scheduler", { withoutFaults: "the cache is looked at" });
  // Its workflow is known from now on.
  await scheduler.findWorkflow("test.v1");
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

/**
 * What an operator does to a task whose step `a` is in flight, and what the task is like after the
 * reply.
 */
const acts: readonly [string, readonly TaskEvent[], object, object][] = [
  [
    "pause",
    [{ kind: "paused" }],
    { goal: "do", paused: true },
    { a: "processed", b: "waiting", c: "waiting" },
  ],
  [
    "pause and resume",
    [{ kind: "paused" }, { kind: "resumed" }],
    { goal: "do", paused: false },
    { a: "processed", b: "processing", c: "waiting" },
  ],
  [
    "undo",
    [{ kind: "undoRequested", code: "operator.cancel" }],
    { goal: "undo", paused: false },
    { a: "processed", "a:undo": "processing", b: "cancelled", c: "cancelled" },
  ],
  [
    "cancel",
    [{ kind: "undoRequested", code: "operator.cancel" }],
    { goal: "undo", paused: false },
    { a: "processed", "a:undo": "processing", b: "cancelled", c: "cancelled" },
  ],
];

test.each(acts)(
  "an operator's %s is kept although the claim skipped the locked row of the task",
  async (_, events, task, states) => {
    await submission.submitTasks([newTask()], { actor: "test" });
    await db.query("begin");
    await db.query("select from state.tasks for no key update");
    const [one] = await claimAll(scheduler);
    await db.query("rollback");
    const { taskId } = one!;
    for (const event of events) await other.applyEvents([{ taskId, event }], { actor: "ann" });
    await record(scheduler, one!);
    expect(await db.query("select goal, paused_at is not null as paused from state.tasks")).toEqual(
      [task],
    );
    const steps = await db.query<{ name: string; process_state: string }>(
      "select name, process_state from state.steps",
    );
    expect(Object.fromEntries(steps.map((step) => [step.name, step.process_state]))).toEqual(
      states,
    );
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
);

test("a backlog that is paused while its replies are recorded stays paused", async () => {
  const submitted = await submitMany(submission, 200);
  await db.query("begin");
  await db.query("select from state.tasks for no key update");
  const claims = await claimAll(scheduler);
  await db.query("rollback");

  const left = submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
  const pausedIds: string[] = [];
  const operator = async () => {
    for (let taskId = left.shift(); taskId !== undefined; taskId = left.shift()) {
      const event = { kind: "paused" } as const;
      const { outcomes } = await other.applyEvents([{ taskId, event }], { actor: "ann" });
      if (outcomes[0]?.applied === true) pausedIds.push(taskId);
    }
  };
  const agents = async () => {
    // The last ones first: operators are faster for some, replies for others.
    for (let end = claims.length; end > 0; end -= 10) {
      await record(scheduler, ...claims.slice(Math.max(0, end - 10), end));
    }
  };
  await Promise.all([operator(), operator(), agents()]);

  expect(pausedIds.length).toBeGreaterThan(0);
  const stillPaused = await db.query<{ task_id: string }>(
    "select task_id from state.tasks where paused_at is not null",
  );
  expect(stillPaused.map(({ task_id }) => task_id).toSorted()).toEqual(pausedIds.toSorted());
  const claimedLater = await db.query(
    `select claim.task_id, claim.step
       from state.events claim
       join state.events pause on pause.task_id = claim.task_id and pause.action = 'pause'
      where claim.action = 'claim' and claim.id > pause.id`,
  );
  expect(claimedLater).toEqual([]);
  expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
});
