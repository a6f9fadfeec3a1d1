import { definitionFormat } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }]);
  ({ db, submission, scheduler } = await openTestStores(workflow));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear());

const submit = (count: number, changes = {}) => submitMany(submission, count, changes);

test("a claim locks a due step in the name of the Scheduler, with its two limits and a token", async () => {
  await submit(1);
  const [claim, ...more] = await claimAll(scheduler);
  expect(more).toEqual([]);
  expect(claim).toMatchObject({ name: "a", lane: "agent", attempt: 1, workflow: "test.v1" });
  expect(claim!.startBy - claim!.now).toBeCloseTo(30_000, -1);
  expect(claim!.completeBy - claim!.now).toBeCloseTo(35_000, -1);
  const [row] = await db.query(
    "select locked_by, token::text, process_state from state.steps where name = 'a'",
  );
  expect(row).toEqual({
    locked_by: "scheduler-1",
    token: claim!.token,
    process_state: "processing",
  });
});

test("a claim marks the task as processing, and writes itself into the history", async () => {
  await submit(1);
  await claimAll(scheduler);
  expect(await db.query("select process_state from state.tasks")).toEqual([
    { process_state: "processing" },
  ]);
  expect(
    await db.query("select action, actor, attempt from state.events where action = 'claim'"),
  ).toEqual([{ action: "claim", actor: "scheduler-1", attempt: 1 }]);
});

test("a claim returns the input with the first attempt if it is small", async () => {
  const asked = await db.open("scheduler", {
    withoutFaults: "the input of a claim whose answer was lost is asked for later",
  });
  await submit(1, { input: { x: 1 } });
  expect(await claimAll(asked)).toMatchObject([{ taskInput: { x: 1 } }]);

  // Random, for what compresses well is small.
  const padding = Array.from({ length: 200 }, () => crypto.randomUUID());
  await submit(1, { input: { padding } });
  expect(await claimAll(asked)).toMatchObject([{ taskInput: null }]);

  const [task] = (await submit(1)) as readonly { taskId: string }[];
  const taskId = task!.taskId;
  const [claim] = await claimAll(asked);
  expect(claim).toMatchObject({ taskId, taskInput: {} });
  await asked.applyEvents([{ taskId, event: failed(claim!) }], { actor: "s" });
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  await asked.stageDueSteps();
  expect(await claimAll(asked)).toMatchObject([{ attempt: 2, taskInput: null }]);
});

test("a claim takes no more steps of a lane than it has slots", async () => {
  await submit(5);
  const claims = await scheduler.claimDueSteps({
    lockedBy: "s",
    capacity: [
      { lane: "agent", slots: 3 },
      { lane: "other", slots: 10 },
    ],
    resendAfter: 300,
  });
  expect(claims).toHaveLength(3);
});

test("a claim never gives one step to two Schedulers", async () => {
  await submit(400);
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, index) => claimAll(scheduler, `scheduler-${index}`)),
  );
  const taskIds = claims.flat().map(({ taskId }) => taskId);
  expect(taskIds).toHaveLength(400);
  expect(new Set(taskIds).size).toBe(400);
});

test("a claim skips a delayed step until it is promoted", async () => {
  await submit(1);
  const [claim] = await claimAll(scheduler);
  await scheduler.applyEvents([{ taskId: claim!.taskId, event: failed(claim!) }], {
    actor: "s",
  });
  expect(await claimAll(scheduler)).toEqual([]);
  const promoter = await db.open("scheduler", {
    withoutFaults: "what was promoted is answered once; losing that costs a poll interval",
  });
  const { lanes, nextIn } = await promoter.stageDueSteps();
  expect(lanes).toEqual([]);
  expect(nextIn).toBeGreaterThan(0);
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  expect((await promoter.stageDueSteps()).lanes).toEqual(["agent"]);
  expect(await claimAll(scheduler)).toMatchObject([{ attempt: 2 }]);
});

test("a claim gives a retried step a new complete-by time and a new token", async () => {
  await submit(1);
  const [first] = await claimAll(scheduler);
  const actor = { actor: "s" };
  await scheduler.applyEvents([{ taskId: first!.taskId, event: failed(first!) }], actor);
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  await scheduler.stageDueSteps();
  const [second] = await claimAll(scheduler);
  expect(second).toMatchObject({ taskId: first!.taskId, name: first!.name, attempt: 2 });
  expect(second!.completeBy).toBeGreaterThan(first!.completeBy);
  expect(second!.token).not.toBe(first!.token);
  const [stored] = await db.query<{ completeBy: number }>(
    `select (extract(epoch from complete_by) * 1000)::float8 as "completeBy" from state.steps
      where process_state = 'processing'`,
  );
  expect(stored!.completeBy).toBeCloseTo(second!.completeBy, 0);
});

test("a claim does not touch steps of a format that it does not know", async () => {
  await submit(1);
  await db.query("update state.steps set format = $1", [definitionFormat + 1]);
  expect(await claimAll(scheduler)).toEqual([]);
});

test("an unconfirmed request goes to the first Scheduler that asks after its resend time, once", async () => {
  const resend = await db.open("scheduler", {
    withoutFaults: "what is taken and lost is given again, later",
  });
  await submit(1);
  const [claim] = await claimAll(scheduler);
  expect(await resend.takeUnconfirmedSteps({ resendAfter: 300 })).toEqual([]);
  await db.query("update state.steps set resend_at = now() where name = 'a'");
  const taken = await Promise.all(
    [1, 2, 3].map(() => resend.takeUnconfirmedSteps({ resendAfter: 60_000 })),
  );
  expect(taken.flat()).toMatchObject([{ taskId: claim!.taskId, attempt: 1, token: claim!.token }]);
});

test("a request that the asking Scheduler still builds or publishes is not resent, and looked at again later", async () => {
  const resend = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  await submit(2);
  const [mine, lost] = await claimAll(scheduler);
  await db.query("update state.steps set resend_at = now() where name = 'a'");
  const earlier = { ...lost!, attempt: lost!.attempt - 1 };
  const taken = await resend.takeUnconfirmedSteps({ resendAfter: 60_000, held: [mine!, earlier] });
  expect(taken).toMatchObject([{ taskId: lost!.taskId }]);
  const rows = await db.query(
    "select task_id::text, resent, resend_at > now() as is_later from state.steps where name = 'a' order by task_id",
  );
  expect(rows).toEqual(
    [mine!, lost!]
      .map(({ taskId }) => ({ task_id: taskId, resent: taskId === lost!.taskId, is_later: true }))
      .toSorted((a, b) => (a.task_id < b.task_id ? -1 : 1)),
  );
});

test("a resent step is loaded as resent, due again at its next time, and no longer resent after a new claim", async () => {
  const resend = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  const resent = () =>
    db.query(
      "select resent, resend_at = complete_by as at_its_end from state.steps where name = 'a'",
    );
  await submit(1);
  const [claim] = await claimAll(scheduler);
  expect(await resent()).toEqual([{ resent: false, at_its_end: false }]);
  await db.query("update state.steps set resend_at = now() where name = 'a'");
  await resend.takeUnconfirmedSteps({ resendAfter: 300 });
  expect(await resent()).toEqual([{ resent: true, at_its_end: false }]);

  const { taskId, name: step, attempt, token } = claim!;
  const back = { taskId, event: { kind: "neverStarted", step, attempt, token } } as const;
  const { outcomes } = await scheduler.applyEvents([back], { actor: "s" });
  expect(outcomes).toMatchObject([{ applied: false, reason: "may_be_running" }]);

  await db.query("update state.steps set start_by = now(), resend_at = now() where name = 'a'");
  await resend.takeUnconfirmedSteps({ resendAfter: 300 });
  expect(await resent()).toEqual([{ resent: true, at_its_end: true }]);

  await db.query("update state.steps set complete_by = now() where name = 'a'");
  await scheduler.applyEvents([back], { actor: "s" });
  await db.query("update state.steps set not_before = now(), rank = now() where name = 'a'");
  expect(await claimAll(scheduler)).toMatchObject([{ attempt: 2 }]);
  expect(await resent()).toEqual([{ resent: false, at_its_end: false }]);
});

test("unconfirming makes the resend publish at once every request that can still be begun", async () => {
  const resend = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  await submit(2);
  const [begun, late] = await claimAll(scheduler);
  await scheduler.confirmRequests([begun!, late!]);
  await db.query(
    `update state.steps set start_by = now() where name = 'a' and task_id = '${late!.taskId}'`,
  );
  expect(await scheduler.unconfirmSteps()).toBe(1);
  const taken = await resend.takeUnconfirmedSteps({ resendAfter: 60_000 });
  expect(taken).toMatchObject([{ taskId: begun!.taskId, attempt: 1, token: begun!.token }]);
});

test("the resend skips confirmed steps, and confirms no step that has moved on", async () => {
  await submit(2);
  const claims = await claimAll(scheduler);
  await scheduler.applyEvents(
    [{ taskId: claims[1]!.taskId, event: completed(claims[1]!), output: 1 }],
    { actor: "s" },
  );
  await scheduler.confirmRequests(claims);
  await db.query("update state.steps set resend_at = now() where process_state = 'processing'");
  const resend = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  expect(await resend.takeUnconfirmedSteps({ resendAfter: 300 })).toEqual([]);
  const marked = await db.query(
    "select task_id::text from state.steps where confirmed_at is not null",
  );
  expect(marked).toEqual([{ task_id: claims[0]!.taskId }]);
});
