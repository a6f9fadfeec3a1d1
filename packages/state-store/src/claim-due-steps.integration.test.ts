import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
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
let scheduler: StateStore;
beforeAll(async () => {
  db = await openTestStore();
  submission = await db.open("submission");
  scheduler = await db.open("scheduler");
  await submission.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.query(
    "truncate state.tasks, state.steps, state.events, state.task_payloads, state.step_payloads",
  );
});

const submit = (count: number, changes = {}) =>
  submission.submitTasks(
    Array.from({ length: count }, () => newTask(changes)),
    { actor: "test" },
  );

test("locks a due step in the name of the Scheduler, with its two limits and a token", async () => {
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

test("marks the task as processing, and writes the claim into the history", async () => {
  await submit(1);
  await claimAll(scheduler);
  expect(await db.query("select process_state from state.tasks")).toEqual([
    { process_state: "processing" },
  ]);
  expect(
    await db.query("select action, actor, attempt from state.events where action = 'claim'"),
  ).toEqual([{ action: "claim", actor: "scheduler-1", attempt: 1 }]);
});

test("brings the input along at the first attempt when it is small", async () => {
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
  await asked.applyIncidents([{ taskId, event: failed(claim!) }], { actor: "s" });
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  await asked.promoteRestedSteps();
  expect(await claimAll(asked)).toMatchObject([{ attempt: 2, taskInput: null }]);
});

test("takes no more of a lane than it has places", async () => {
  await submit(5);
  const claims = await scheduler.claimDueSteps({
    lockedBy: "s",
    room: [
      { lane: "agent", places: 3 },
      { lane: "other", places: 10 },
    ],
    relayAfter: 300,
  });
  expect(claims).toHaveLength(3);
});

test("takes the oldest first, and a priority is a head start", async () => {
  const [old] = await submit(1);
  const [urgent] = await submit(1, { priority: 5 });
  const [young] = await submit(1);
  const order: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const room = [{ lane: "agent", places: 1 }];
    const [claim] = await scheduler.claimDueSteps({ lockedBy: "s", room, relayAfter: 300 });
    order.push(claim!.taskId);
  }
  expect(order).toEqual([urgent, old, young].map((task) => (task as { taskId: string }).taskId));
});

test("never gives one step to two Schedulers", async () => {
  await submit(400);
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, index) => claimAll(scheduler, `scheduler-${index}`)),
  );
  const taskIds = claims.flat().map(({ taskId }) => taskId);
  expect(taskIds).toHaveLength(400);
  expect(new Set(taskIds).size).toBe(400);
});

test("leaves a step that rests alone until it is promoted", async () => {
  await submit(1);
  const [claim] = await claimAll(scheduler);
  await scheduler.applyIncidents([{ taskId: claim!.taskId, event: failed(claim!) }], {
    actor: "s",
  });
  expect(await claimAll(scheduler)).toEqual([]);
  const promoter = await db.open("scheduler", {
    withoutFaults: "what was promoted is told once; losing that costs a poll interval",
  });
  const { lanes, nextIn } = await promoter.promoteRestedSteps();
  expect(lanes).toEqual([]);
  expect(nextIn).toBeGreaterThan(0);
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  expect((await promoter.promoteRestedSteps()).lanes).toEqual(["agent"]);
  expect(await claimAll(scheduler)).toMatchObject([{ attempt: 2 }]);
});

test("gives a step that is tried again a new complete-by time and a new token", async () => {
  await submit(1);
  const [first] = await claimAll(scheduler);
  const actor = { actor: "s" };
  await scheduler.applyIncidents([{ taskId: first!.taskId, event: failed(first!) }], actor);
  await db.query("update state.steps set not_before = now() where process_state = 'pending'");
  await scheduler.promoteRestedSteps();
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

test("does not touch steps of a format that it does not know", async () => {
  await submit(1);
  await db.query("update state.steps set format = 2");
  expect(await claimAll(scheduler)).toEqual([]);
});

test("gives a request that nobody marked to whoever asks after its time, once", async () => {
  const relay = await db.open("scheduler", {
    withoutFaults: "what is taken and lost is given again, later",
  });
  await submit(1);
  const [claim] = await claimAll(scheduler);
  expect(await relay.takeUndispatchedSteps({ relayAfter: 300 })).toEqual([]);
  await db.query("update state.steps set relay_at = now() where name = 'a'");
  const taken = await Promise.all(
    [1, 2, 3].map(() => relay.takeUndispatchedSteps({ relayAfter: 60_000 })),
  );
  expect(taken.flat()).toMatchObject([{ taskId: claim!.taskId, attempt: 1, token: claim!.token }]);
});

test("a relayed step is loaded as one, looked at again when its time is over, and claimed anew as none", async () => {
  const relay = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  const relayed = () =>
    db.query(
      "select relayed, relay_at = complete_by as at_its_end from state.steps where name = 'a'",
    );
  await submit(1);
  const [claim] = await claimAll(scheduler);
  expect(await relayed()).toEqual([{ relayed: false, at_its_end: false }]);
  await db.query("update state.steps set relay_at = now() where name = 'a'");
  await relay.takeUndispatchedSteps({ relayAfter: 300 });
  expect(await relayed()).toEqual([{ relayed: true, at_its_end: false }]);

  const { taskId, name: step, attempt, token } = claim!;
  const back = { taskId, event: { kind: "neverStarted", step, attempt, token } } as const;
  const { outcomes } = await scheduler.applyIncidents([back], { actor: "s" });
  expect(outcomes).toMatchObject([{ applied: false, reason: "may_be_running" }]);

  await db.query("update state.steps set start_by = now(), relay_at = now() where name = 'a'");
  await relay.takeUndispatchedSteps({ relayAfter: 300 });
  expect(await relayed()).toEqual([{ relayed: true, at_its_end: true }]);

  await db.query("update state.steps set complete_by = now() where name = 'a'");
  await scheduler.applyIncidents([back], { actor: "s" });
  await db.query("update state.steps set not_before = now(), rank = now() where name = 'a'");
  expect(await claimAll(scheduler)).toMatchObject([{ attempt: 2 }]);
  expect(await relayed()).toEqual([{ relayed: false, at_its_end: false }]);
});

test("undispatches what is in flight and can still be begun, for the relay to publish it at once", async () => {
  const relay = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  await submit(2);
  const [begun, late] = await claimAll(scheduler);
  await scheduler.markDispatchedSteps([begun!, late!]);
  await db.query(
    `update state.steps set start_by = now() where name = 'a' and task_id = '${late!.taskId}'`,
  );
  expect(await scheduler.undispatchSteps()).toBe(1);
  const taken = await relay.takeUndispatchedSteps({ relayAfter: 60_000 });
  expect(taken).toMatchObject([{ taskId: begun!.taskId, attempt: 1, token: begun!.token }]);
});

test("does not relay what was marked as dispatched, and does not mark what has moved on", async () => {
  await submit(2);
  const claims = await claimAll(scheduler);
  await scheduler.applyIncidents(
    [{ taskId: claims[1]!.taskId, event: completed(claims[1]!), output: 1 }],
    { actor: "s" },
  );
  await scheduler.markDispatchedSteps(claims);
  await db.query("update state.steps set relay_at = now() where process_state = 'processing'");
  const relay = await db.open("scheduler", { withoutFaults: "a take is not repeated" });
  expect(await relay.takeUndispatchedSteps({ relayAfter: 300 })).toEqual([]);
  const marked = await db.query(
    "select task_id::text from state.steps where dispatched_at is not null",
  );
  expect(marked).toEqual([{ task_id: claims[0]!.taskId }]);
});
