import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  openTestStore,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;

const steps = [{ name: "a" }, { name: "b" }];
const actor = "scheduler-1";

beforeAll(async () => {
  db = await openTestStore();
  submission = await db.open("submission");
});
beforeEach(async () => {
  await db.clear("pauses", "workflows");
  await submission.registerWorkflow(testWorkflow(steps, "good.v1"));
  await submission.registerWorkflow(testWorkflow(steps, "bad.v1"));
  // They know no definition yet, as after a restart.
  scheduler = await db.open("scheduler");
  supervisor = await db.open("supervisor");
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

const submitTask = (workflow: string) => submitOne(submission, { workflow });

const spoil = (definition: string) =>
  db.query("update state.workflows set definition = $1 where name = 'bad.v1'", [definition]);

const restore = () => spoil(JSON.stringify(testWorkflow(steps, "bad.v1")));

const stepsOf = (taskId: string) =>
  db.query(
    "select name, process_state as state from state.steps where task_id = $1 and kind = 'call' order by name",
    [taskId],
  );

/** Claims and completes all that is due until nothing is. */
async function runAll(store: StateStore): Promise<void> {
  for (let claims = await claimAll(store); claims.length > 0; claims = await claimAll(store)) {
    await store.applyEvents(
      claims.map((claim) => ({ taskId: claim.taskId, event: completed(claim), output: {} })),
      { actor },
    );
  }
}

const violations = () => db.query("select * from state.invariant_violations");

/** Applies pauses as the Scheduler does each second while something is paused. */
async function applyPauses(): Promise<void> {
  for (let moved = 1; moved > 0; ) moved = await scheduler.applyPauses();
}

const spoilt = {
  "an empty object": "{}",
  null: "null",
  "a text": '"x"',
  "no JSON Schema": JSON.stringify({ ...testWorkflow(steps, "bad.v1"), steps: [{ name: "a" }] }),
  "another workflow": JSON.stringify(testWorkflow(steps, "good.v1")),
  "a cycle": JSON.stringify(testWorkflow([{ name: "a", after: ["b"] }, { name: "b" }], "bad.v1")),
  "1,000 levels": JSON.stringify(testWorkflow(steps, "bad.v1")).replace(
    '"output":null',
    `"output":${"[".repeat(1_000)}${"]".repeat(1_000)}`,
  ),
  "two megabytes": JSON.stringify({
    ...testWorkflow(steps, "bad.v1"),
    output: "x".repeat(2 ** 21),
  }),
} as const;

test.each(Object.entries(spoilt))(
  "a definition that is %s stops only its own tasks, which go on when it has been repaired",
  async (_, definition) => {
    const bad = await submitTask("bad.v1");
    const good = await submitTask("good.v1");
    await spoil(definition);

    await runAll(scheduler);
    expect(await stepsOf(good)).toEqual([
      { name: "a", state: "processed" },
      { name: "b", state: "processed" },
    ]);
    // Its attempt takes no place of any other.
    expect(await stepsOf(bad)).toEqual([
      { name: "a", state: "pending" },
      { name: "b", state: "waiting" },
    ]);
    expect(await scheduler.findPauses({ before: null, most: 10 })).toMatchObject([
      { kind: "workflow", name: "bad.v1", actor: "holdfast (unusable)", resumedAt: null },
    ]);
    await applyPauses();
    expect(await claimAll(scheduler)).toEqual([]);

    await restore();
    await applyPauses();
    await runAll(scheduler);
    expect(await stepsOf(bad)).toEqual([
      { name: "a", state: "processed" },
      { name: "b", state: "processed" },
    ]);
    expect(await violations()).toEqual([]);
  },
);

test("a Supervisor recovers the steps of other tasks beside one whose definition is gone", async () => {
  const bad = await submitTask("bad.v1");
  const good = await submitTask("good.v1");
  await claimAll(scheduler);
  await db.query("update state.steps set complete_by = clock_timestamp() where token is not null");
  await db.query("delete from state.workflows where name = 'bad.v1'");
  const { steps: expired } = await supervisor.findExpired({ batch: 10 });
  expect(expired).toHaveLength(2);
  const { outcomes } = await supervisor.applyEvents(
    expired.map(({ taskId, ...attempt }) => ({ taskId, event: { kind: "expired", ...attempt } })),
    { actor: "supervisor-1", skipLocked: true },
  );
  const reasons = new Map(
    expired.map(({ taskId }, index) => {
      const outcome = outcomes[index];
      return [taskId, outcome?.applied === false ? outcome.reason : "applied"];
    }),
  );
  expect(reasons).toEqual(
    new Map([
      [bad, "unusable_task"],
      [good, "applied"],
    ]),
  );
  // It is not found again, so it takes no place in the next batch either.
  expect((await supervisor.findExpired({ batch: 10 })).steps).toEqual([]);
});

test.each([
  ["a step that is not in its definition", "update state.steps set name = 'c' where name = 'b'"],
  ["a missing step", "delete from state.steps where name = 'b'"],
])("a task with %s is paused by itself, and goes on when it has been repaired", async (_, sql) => {
  const bad = await submitTask("good.v1");
  const good = await submitTask("good.v1");
  const row = await db.query("select * from state.steps where task_id = $1 and name = 'b'", [bad]);
  await db.query(`${sql} and task_id = '${bad}'`);

  await runAll(scheduler);
  expect(await stepsOf(good)).toEqual([
    { name: "a", state: "processed" },
    { name: "b", state: "processed" },
  ]);
  const [task] = await db.query<{ paused_by: string; pause_reason: string; version: number }>(
    "select paused_by, pause_reason, version from state.tasks where task_id = $1",
    [bad],
  );
  expect(task).toMatchObject({
    paused_by: "holdfast (unusable)",
    pause_reason: expect.stringMatching(/^good.v1 has no step c|its step b is missing$/),
  });
  expect((await stepsOf(bad))[0]).toEqual({ name: "a", state: "waiting" });

  await db.query("delete from state.steps where task_id = $1 and name <> 'a'", [bad]);
  await db.query(
    "insert into state.steps select * from json_populate_recordset(null::state.steps, $1)",
    [JSON.stringify(row)],
  );
  const operations = await db.open("operations");
  const { outcomes } = await operations.applyEvents(
    [{ taskId: bad, event: { kind: "resumed" }, expectedVersion: task?.version ?? 0 }],
    { actor: "ann" },
  );
  expect(outcomes).toMatchObject([{ applied: true }]);
  await runAll(scheduler);
  expect(await stepsOf(bad)).toEqual([
    { name: "a", state: "processed" },
    { name: "b", state: "processed" },
  ]);
  expect(await violations()).toEqual([]);
});

test.each([
  ["limits that add up to more than an integer holds", "start_within = 2147483647"],
  ["an attempt that has no successor", "attempt = 2147483647"],
])("a step with %s keeps no other from being claimed", async (_, change) => {
  const bad = await submitTask("bad.v1");
  const good = await submitTask("good.v1");
  await db.query("alter table state.steps disable trigger guard_step");
  await db.query(`update state.steps set ${change} where task_id = $1`, [bad]);
  await db.query("alter table state.steps enable trigger guard_step");
  const claims = await claimAll(scheduler);
  expect(claims.map(({ taskId }) => taskId)).toContain(good);
  const expired = await supervisor.findExpired({ batch: 10 });
  expect(expired.steps).toEqual([]);
});
