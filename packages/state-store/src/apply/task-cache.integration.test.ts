import type { TaskEvent } from "@holdfast/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  claimAll,
  failed,
  newTask,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { complete, record } from "../../test/replies.ts";
import type { ClaimedStep } from "../claim/claimed-step.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let operations: StateStore;
/** Claims, and so has tasks in its cache. */
let scheduler: StateStore;
/** Has not claimed the first steps, and so reads the tasks. */
let other: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }, { name: "c" }]);
  ({ db, submission, operations, scheduler: other } = await openTestStores(workflow));
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

/** Applies replies as a Scheduler whose cache is empty. */
async function readAndRecord(claims: readonly ClaimedStep[]): Promise<void> {
  await other.applyEvents(
    claims.map((claim) => complete(claim, { of: claim.name })),
    { actor: "scheduler-1" },
  );
  await claimAll(other);
}

async function begin(count = 1): Promise<readonly ClaimedStep[]> {
  await submitMany(submission, count);
  return claimAll(scheduler);
}

const history = () =>
  db.query(
    `select step, action, from_state, to_state, attempt, actor, reason
       from state.events order by id`,
  );

const inFlight = () =>
  db.query<ClaimedStep>(
    `select task_id::text as "taskId", name, attempt, token::text from state.steps
      where process_state = 'processing'`,
  );
/** A trace that no code of ours leaves: a transaction that reads the step keeps it. */
const trace = "update state.steps set cool_downs = 7 where process_state = 'processing'";

test("a cached task is processed without being read, and ends like one that is read each time", async () => {
  const run = async (move: (claims: readonly ClaimedStep[]) => Promise<unknown>) => {
    for (let claims = await begin(); claims.length > 0; claims = await inFlight()) {
      await db.query(trace);
      await move(claims);
    }
    const steps = await db.query<{ name: string; cool_downs: number }>(
      `select name, process_state, attempt, failure_count, admitted, output, cool_downs
         from state.steps join state.step_payloads using (task_id, name) order by name`,
    );
    return {
      traces: steps.map(({ cool_downs }) => cool_downs),
      steps: steps.map(({ cool_downs: _trace, ...step }) => step),
      history: await history(),
    };
  };
  const { traces, ...inHand } = await run((claims) => record(scheduler, ...claims));
  expect(traces).toEqual([0, 0, 0]);
  expect(inHand.steps).toMatchObject([
    { name: "a" },
    { name: "b" },
    { name: "c", output: { of: "c" } },
  ]);

  await db.query("truncate state.tasks, state.steps, state.events, state.step_payloads");
  expect(await run(readAndRecord)).toEqual({ traces: [7, 7, 7], ...inHand });
  expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
});

/** What others do to a task whose step `a` is in flight, and what becomes of its reply then. */
const intrusions: readonly [string, (one: ClaimedStep) => TaskEvent | Promise<unknown>, object][] =
  [
    ["paused", () => ({ kind: "paused" }), { a: "processed", b: "waiting", c: "waiting" }],
    [
      "to be undone",
      () => ({ kind: "undoRequested", code: "operator.cancel" }),
      { a: "processed", "a:undo": "processing", b: "cancelled", c: "cancelled" },
    ],
    [
      "requeued",
      (one) => ({ kind: "neverStarted", step: "a", attempt: 1, token: one.token }),
      { a: "pending", b: "waiting", c: "waiting" },
    ],
    [
      "already told of",
      (one) => record(other, one),
      { a: "processed", b: "processing", c: "waiting" },
    ],
  ];

test.each(intrusions)(
  "a cached task that is %s by others meanwhile is read from the store",
  async (_, act, states) => {
    const [one] = await begin();
    const { taskId } = one!;
    const done = act(one!);
    if ("kind" in done) await other.applyEvents([{ taskId, event: done }], { actor: "other" });
    else await done;
    await record(scheduler, one!);
    const steps = await db.query<{ name: string; process_state: string }>(
      "select name, process_state from state.steps",
    );
    expect(Object.fromEntries(steps.map((step) => [step.name, step.process_state]))).toEqual(
      states,
    );
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  },
);

test("a cached task whose claim the store has lost in a failover is read, and stays paused", async () => {
  const [one] = await begin();
  // Another Scheduler has claimed the step anew, and an operator has paused the task: with the same
  // numbers as before.
  await db.query(
    `set session_replication_role = replica;
     update state.steps set token = gen_random_uuid() where process_state = 'processing';
     update state.tasks set paused_at = now(), paused_by = 'operator', pause_reason = 'x';
     reset session_replication_role`,
  );
  const { outcomes } = await record(scheduler, one!);
  expect(outcomes).toMatchObject([{ applied: false }]);
  expect(await db.query("select paused_by, version from state.tasks")).toEqual([
    { paused_by: "operator", version: 2 },
  ]);
  expect(await inFlight()).toHaveLength(1);
});

test("a cached task that others changed does not affect the tasks decided in the same batch", async () => {
  const claims = await begin(5);
  const { taskId } = claims[2]!;
  await other.applyEvents([{ taskId, event: { kind: "paused" } }], { actor: "other" });
  const { outcomes, claims: next } = await record(scheduler, ...claims);
  expect(outcomes.map(({ applied }) => applied)).toEqual([true, true, true, true, true]);
  expect(next).toHaveLength(4);
});

test("cached and uncached tasks are recorded together", async () => {
  const ours = await begin(3);
  await submission.submitTasks([newTask(), newTask()], { actor: "test" });
  const theirs = await claimAll(other);
  const { outcomes, claims } = await record(scheduler, ...theirs, ...ours);
  expect(outcomes.map(({ applied }) => applied)).toEqual([true, true, true, true, true]);
  expect(claims?.map(({ name }) => name)).toEqual(["b", "b", "b", "b", "b"]);
});

test("a reply that is recorded twice at once counts once", async () => {
  const claims = await begin(20);
  const both = await Promise.all([record(scheduler, ...claims), record(scheduler, ...claims)]);
  const applied = both.flatMap(({ outcomes }) => outcomes).filter((outcome) => outcome.applied);
  expect(applied).toHaveLength(20);
  expect(await db.query("select from state.events where action = 'complete'")).toHaveLength(20);
});

describe("a task whose definition had to leave the memory of this instance", () => {
  const outputs = { "agent.a": { type: "object", required: ["ok"] } };
  const held = { ...testWorkflow([{ name: "a" }, { name: "b" }], "held.v1"), outputs };
  /** Large definitions, more of them than an instance keeps. */
  const large = Array.from({ length: 24 }, (_, index) => ({
    ...testWorkflow([{ name: "a" }], `large-${index}.v1`),
    inputSchema: { description: "x".repeat(200_000) },
  }));
  beforeAll(async () => {
    for (const workflow of [held, ...large]) await operations.registerWorkflow(workflow);
  });

  test("has its output checked all the same", async () => {
    await scheduler.findWorkflow("held.v1");
    await submitMany(submission, 1, { workflow: "held.v1" });
    const [claim] = await claimAll(scheduler);
    for (const { name } of large) await scheduler.findWorkflow(name);
    const { outcomes } = await record(scheduler, claim!);
    expect(outcomes).toMatchObject([{ outputFault: { code: "step.output_invalid" } }]);
  });

  test("is not failed by an instance with another contract, however many others are in its batch", async () => {
    for (const { name } of [held, ...large]) await submitMany(submission, 1, { workflow: name });
    const claims = await claimAll(scheduler);
    const givenBack = { transient: false, code: "bank.refused", contract: "of another release" };
    await scheduler.applyEvents(
      claims.map((claim) => ({ taskId: claim.taskId, event: failed(claim, givenBack) })),
      { actor: "scheduler-1" },
    );
    const steps = await db.query(
      `select steps.process_state, failure_count from state.steps join state.tasks using (task_id)
        where workflow = 'held.v1' and name = 'a'`,
    );
    expect(steps).toEqual([{ process_state: "pending", failure_count: 0 }]);
  });
});
