import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import {
  claimAll,
  completed,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { readQuery } from "../postgres/query.ts";
import type { StateStore } from "../roles.ts";
import type { ClaimedStep } from "./claimed-step.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }]);
  ({ db, submission, scheduler, supervisor } = await openTestStores(workflow));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear());

async function submit(tasks: number): Promise<readonly string[]> {
  const batches = Array.from({ length: Math.ceil(tasks / 500) }, (_, index) =>
    submitMany(submission, Math.min(500, tasks - index * 500)),
  );
  return (await Promise.all(batches))
    .flat()
    .flatMap((one) => (one.kind === "created" ? [one.taskId] : []));
}

const violations = () => submission.findInvariantViolations({ batch: 10 });

test("eight Schedulers claim ten thousand steps, each of them once", async () => {
  await submit(10_000);
  const owners = new Map<string, string>();
  let twice = 0;
  const claimUntilDone = async (name: string): Promise<void> => {
    for (;;) {
      const claims = await claimAll(scheduler, name);
      for (const { taskId } of claims) {
        if (owners.has(taskId)) twice += 1;
        owners.set(taskId, name);
      }
      if (claims.length === 0 && owners.size === 10_000) return;
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => claimUntilDone(`scheduler-${index}`)));
  expect(twice).toBe(0);
  expect(new Set(owners.values()).size).toBeGreaterThan(1);
  const rows = await db.query<{ task_id: string; locked_by: string }>(
    "select task_id::text, locked_by from state.steps where attempt = 1",
  );
  expect(rows.every(({ task_id, locked_by }) => owners.get(task_id) === locked_by)).toBe(true);
  expect(rows).toHaveLength(10_000);
});

test("two Schedulers of the same name claim no step twice", async () => {
  const twins = await db.open("scheduler", {
    withoutFaults: "when an answer is lost, the test could not tell whose claims they were",
  });
  await submit(400);
  const claims = await Promise.all([1, 2, 3, 4].map(() => claimAll(twins, "twin")));
  expect(claims.flat()).toHaveLength(400);
  expect(new Set(claims.flat().map(({ taskId }) => taskId)).size).toBe(400);
});

describe("the claim takes no more steps than it has slots", () => {
  const off = ["hashjoin", "mergejoin", "nestloop", "seqscan", "indexscan", "bitmapscan"];
  test.each([
    ["nested loops alone", ["hashjoin", "mergejoin"]],
    ["hash joins alone", ["nestloop", "mergejoin"]],
    ["merge joins alone", ["nestloop", "hashjoin"]],
    ["no index", ["indexscan", "bitmapscan"]],
    ["all that costs forbidden", off],
    ["the planner left to itself", []],
  ])("with %s", async (_, forbidden) => {
    await submit(1_000);
    const { text, parameters } = readQuery("claim-due-steps");
    const given: Readonly<Record<string, unknown>> = {
      lanes: ["agent"],
      slots: [3],
      reserved: [0],
      // The first holds nothing, all the rest is in the second.
      spanLanes: ["agent", "agent"],
      spanLows: [0, 2],
      spanFroms: [Number.NEGATIVE_INFINITY, 0],
      spanHighs: [2, 3],
      spanTos: [0, Number.POSITIVE_INFINITY],
      format: 1,
      lockedBy: "s",
      resendAfter: 300,
    };
    const client = new Client({ connectionString: db.url });
    await client.connect();
    for (const what of forbidden) await client.query(`set enable_${what} = off`);
    const values = parameters.map((parameter) => given[parameter]);
    const { rows } = await client.query(text, values);
    await client.end();
    expect(rows).toHaveLength(3);
    expect(
      await db.query("select 1 from state.steps where process_state = 'processing'"),
    ).toHaveLength(3);
  });
});

const expire = () =>
  db.query(
    `update state.steps set start_by = now() - interval '2 s', confirmed_at = now(),
            complete_by = now() - interval '1 s' where process_state = 'processing'`,
  );

async function superviseUntilDone(actor: string): Promise<void> {
  for (;;) {
    const { steps } = await supervisor.findExpired({ batch: 200 });
    if (steps.length === 0) return;
    const reportedEvents = steps.map(({ taskId, ...attempt }) => ({
      taskId,
      event: { kind: "expired", ...attempt } as const,
    }));
    await supervisor.applyEvents(reportedEvents, { actor, skipLocked: true });
  }
}

describe("thousands of steps that expire at once", () => {
  test("are counted once each by rival Supervisors, and retried one after the other", async () => {
    await submit(3_000);
    for (let round = 0; round < 6; round += 1) await claimAll(scheduler);
    await expire();
    await Promise.all([1, 2, 3].map((n) => superviseUntilDone(`supervisor-${n}`)));
    expect(
      await db.query("select failure_count, count(*)::int from state.steps group by 1"),
    ).toEqual([{ failure_count: 1, count: 3_000 }]);
    const [spread] = await db.query<{ ms: number }>(
      `select extract(milliseconds from max(not_before - updated_at) - min(not_before - updated_at))::float8 as ms
         from state.steps join state.tasks using (task_id)`,
    );
    expect(spread?.ms).toBeGreaterThan(400);
    expect(await violations()).toEqual([]);
  });

  test("do not hide others behind those that this Supervisor may not change", async () => {
    const ids = await submit(301);
    await claimAll(scheduler);
    await expire();
    await db.query("update state.steps set format = 99 where task_id <> $1", [ids.at(-1)]);
    await db.query("update state.steps set complete_by = now() where task_id = $1", [ids.at(-1)]);
    const { steps } = await supervisor.findExpired({ batch: 200 });
    expect(steps.map(({ taskId }) => taskId)).toEqual([ids.at(-1)]);
  });

  test("are not found again while they wait to be claimed, however long", async () => {
    await submit(10);
    await db.query("update state.steps set rank = rank - interval '1 day'");
    expect((await supervisor.findExpired({ batch: 200 })).steps).toEqual([]);
  });
});

test("a cancel and the last reply race two hundred times: each task ends in one way", async () => {
  await submit(200);
  const claims = await claimAll(scheduler);
  const race = async (claim: ClaimedStep, index: number): Promise<void> => {
    const { taskId } = claim;
    const reply = { taskId, event: completed(claim), output: {} };
    const cancel = {
      taskId,
      event: { kind: "undoRequested", code: "operator.cancelled" } as const,
    };
    const racers = index % 2 === 0 ? [reply, cancel] : [cancel, reply];
    await Promise.all(racers.map((one) => scheduler.applyEvents([one], { actor: "test" })));
  };
  for (let at = 0; at < claims.length; at += 20) {
    await Promise.all(claims.slice(at, at + 20).map(race));
  }
  for (;;) {
    const due = await claimAll(scheduler);
    if (due.length === 0) break;
    const done = due.map((claim) => ({
      taskId: claim.taskId,
      event: completed(claim),
      output: null,
    }));
    await scheduler.applyEvents(done, { actor: "test" });
  }
  const ends = await db.query<{ goal: string; process_state: string }>(
    "select distinct goal, process_state from state.tasks order by goal",
  );
  for (const { goal, process_state } of ends) {
    expect(process_state).toBe(goal === "do" ? "processed" : "undone");
  }
  const endings = `select task_id from state.events
    where step is null and to_state in ('processed', 'undone') group by 1 having count(*) > 1`;
  expect(await db.query(endings)).toEqual([]);
  expect(await violations()).toEqual([]);
});

/** Resolves to how long the claim of another 500 steps took, in milliseconds. */
async function churn(): Promise<number> {
  await submit(500);
  const startedAt = performance.now();
  const claims = await claimAll(scheduler);
  const took = performance.now() - startedAt;
  expect(claims).toHaveLength(500);
  const done = claims.map((claim) => ({
    taskId: claim.taskId,
    event: completed(claim),
    output: {},
  }));
  await scheduler.applyEvents(done, { actor: "test" });
  return took;
}

test("an open snapshot and ten thousand finished steps hardly slow a claim", async () => {
  const reader = new Client({ connectionString: db.url });
  await reader.connect();
  await reader.query("begin isolation level repeatable read");
  await reader.query("select count(*) from state.steps");
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) times.push(await churn());
  await reader.query("rollback");
  await reader.end();
  // A statement may take ten seconds; a claim of 500 with nothing in its way takes some 30 ms.
  expect(Math.max(...times.slice(-5))).toBeLessThan(1_000);
});
