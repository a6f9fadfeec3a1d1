import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { openTestApplication, type TestApplication } from "../../test/application.ts";
import { newBulkRequest, openTasks } from "../../test/bulk.ts";
import { claimAll, newTask } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import { submitTasks } from "./submit-in-transaction.ts";

let tested: TestApplication;
let scheduler: StateStore;
beforeAll(async () => {
  tested = await openTestApplication();
  scheduler = await tested.db.open("scheduler");
});
afterAll(async () => {
  await tested[Symbol.asyncDispose]();
});
beforeEach(() => tested.clear());

const hour = 3_600_000;
const common = { workflow: "trip.v1", input: { x: 1 } };

/** Moves due times back, as if so much time had passed. */
const passes = (interval: string) =>
  tested.db.query(
    `update state.steps set not_before = not_before - interval '${interval}' where not_before is not null`,
  );

test.each<[string, (notBefore: number) => Promise<unknown>]>([
  [
    "over HTTP",
    (notBefore) => tested.store.submitTasks([newTask({ ...common, notBefore })], { actor: "test" }),
  ],
  [
    "by SQL",
    async (notBefore) => {
      await submitTasks(tested.application, [{ ...common, notBefore: new Date(notBefore) }]);
      await tested.makeTasks();
    },
  ],
])(
  "a task submitted %s to begin later is claimed then, and its limit counts from then",
  async (_, submit) => {
    const notBefore = Math.round(Date.now()) + 2 * hour;
    await submit(notBefore);
    const [written] = await tested.db.query(
      `select (extract(epoch from tasks.begin_at) * 1000)::float8 as "notBefore",
            (extract(epoch from tasks.complete_by - tasks.begin_at))::float8 as "limit"
       from state.tasks`,
    );
    expect(written).toEqual({ notBefore, limit: 60 });
    await scheduler.stageDueSteps();
    expect(await claimAll(scheduler)).toEqual([]);
    await passes("2 hours");
    await scheduler.stageDueSteps();
    expect(await claimAll(scheduler)).toMatchObject([{ name: "a" }]);
  },
);

test.each([
  ["ahead", 5 * 3_600_000],
  ["behind", -5 * 3_600_000],
])(
  "a time from now counts by the clock of the store, where the caller's is %s",
  async (_, wrongBy) => {
    const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + wrongBy);
    await tested.store.submitTasks([newTask({ ...common, notBefore: { fromNow: hour } })], {
      actor: "test",
    });
    await submitTasks(tested.application, [{ ...common, notBefore: "+1h" }]);
    await tested.makeTasks();
    now.mockRestore();
    const rows = await tested.db.query(
      `select extract(epoch from begin_at - clock_timestamp()) between 3540 and 3600 as "isRight"
       from state.tasks`,
    );
    expect(rows).toEqual([{ isRight: true }, { isRight: true }]);
  },
);

test.each(["2027-02-30T10:00:00Z", "2027-01-01T10:00:00", "1h", "+1w"])(
  "by SQL %s is refused, before it is sent and when the task is made",
  async (notBefore) => {
    const task = { ...common, notBefore };
    await expect(submitTasks(tested.application, [task])).rejects.toThrow(/\/notBefore must be/);
    await tested.application.query("select state.enqueue_submission($1)", [JSON.stringify(task)]);
    await expect(tested.makeTasks()).rejects.toThrow(/\/notBefore must be/);
  },
);

test("an instant that has passed is now", async () => {
  await tested.store.submitTasks([newTask({ ...common, notBefore: 0 })], { actor: "test" });
  await submitTasks(tested.application, [{ ...common, notBefore: "2020-01-01T00:00:00Z" }]);
  await tested.makeTasks();
  expect(await claimAll(scheduler)).toHaveLength(2);
  const rows = await tested.db.query("select begin_at as at from state.tasks");
  expect(rows).toEqual([{ at: null }, { at: null }]);
});

test("a task with a fairness key that begins later is ranked when it begins", async () => {
  const notBefore = Date.now() + 2 * hour;
  const fairness = { key: "ann", weight: 1 };
  await tested.store.submitTasks([newTask({ ...common, fairness, notBefore })], { actor: "test" });
  expect(await claimAll(scheduler)).toEqual([]);
  await passes("2 hours");
  await scheduler.stageDueSteps();
  expect(await claimAll(scheduler)).toMatchObject([{ name: "a" }]);
});

/** Submits a task that begins in two hours, and one that is to begin now. */
async function submitBoth(notBefore: number): Promise<readonly string[]> {
  const tasks = [newTask({ ...common, notBefore }), newTask(common)];
  const submitted = await tested.store.submitTasks(tasks, { actor: "test" });
  return submitted.flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
}
const firstSteps = () =>
  tested.db.query<{ taskId: string; notBefore: number }>(
    `select task_id::text as "taskId", (extract(epoch from not_before) * 1000)::float8 as "notBefore"
       from state.steps where process_state = 'pending' order by task_id`,
  );

test("a task that is paused and resumed begins when it was to begin", async () => {
  const notBefore = Math.round(Date.now()) + 2 * hour;
  const taskIds = await submitBoth(notBefore);
  for (const kind of ["paused", "resumed"] as const) {
    await tested.operations.applyEvents(
      taskIds.map((taskId) => ({ taskId, event: { kind } })),
      { actor: "ann" },
    );
    if (kind === "paused") expect(await firstSteps()).toEqual([]);
  }
  const [later, now] = await firstSteps();
  expect(later).toEqual({ taskId: taskIds[0], notBefore });
  expect(now!.notBefore).toBeLessThan(notBefore - hour);
  expect(await claimAll(scheduler)).toMatchObject([{ taskId: taskIds[1] }]);
  await passes("2 hours");
  await scheduler.stageDueSteps();
  expect(await claimAll(scheduler)).toMatchObject([{ taskId: taskIds[0] }]);
});

test("a bulk operation that resumes all open tasks begins none that is to begin later", async () => {
  const supervisor = await tested.db.open("supervisor");
  const notBefore = Math.round(Date.now()) + 2 * hour;
  const [scheduled, paused] = await submitBoth(notBefore);
  const alsoPaused = await submitBoth(notBefore);
  await tested.operations.applyEvents(
    [paused!, ...alsoPaused].map((taskId) => ({ taskId, event: { kind: "paused" as const } })),
    { actor: "ann" },
  );
  const created = await tested.operations.createBulkOperation({
    tasks: openTasks,
    request: newBulkRequest({ action: "resume", key: "resume-all" }),
  });
  const id = created.kind === "created" ? created.id : "";
  expect(await supervisor.applyBulkItems({ id, after: 0, batch: 50 })).toMatchObject({
    applied: 3,
    refused: 1,
  });
  const steps = await firstSteps();
  expect(steps).toHaveLength(4);
  const waiting = steps.filter((step) => step.notBefore === notBefore);
  expect(waiting.map(({ taskId }) => taskId)).toEqual([scheduled, alsoPaused[0]]);
});

test("the Supervisor leaves a task alone that begins later, and finds a delay that no submission asked for", async () => {
  const supervisor = await tested.db.open("supervisor");
  const notBefore = Date.now() + 100 * hour;
  await tested.store.submitTasks([newTask({ ...common, notBefore })], { actor: "test" });
  await tested.db.query(
    `set session_replication_role = replica;
     update state.tasks set updated_at = now() - interval '2 hours';
     reset session_replication_role`,
  );
  const look = () => supervisor.findStalledTasks({ after: null, untouchedFor: 60_000 });
  expect(await look()).toEqual({ taskIds: [], next: null });
  await passes("-1 hour");
  expect((await look()).taskIds).toHaveLength(1);
});
