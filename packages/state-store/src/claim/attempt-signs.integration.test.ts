import { completeByOf, noteSign } from "@holdfast/domain";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import {
  attemptOf,
  claimAll,
  completed,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";
import type { AttemptSignOfTask } from "./attempt-signs.ts";
import type { ClaimedStep } from "./claimed-step.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
const limits = { startWithin: 30_000, completeWithin: 5_000 };

beforeAll(async () => {
  ({ db, submission, scheduler, supervisor } = await openTestStores(
    testWorkflow([{ name: "a", ...limits }], "plain.v1"),
    testWorkflow([{ name: "a", ...limits, extendUpTo: 20_000 }], "long.v1"),
  ));
});
afterEach(() => db.clear());
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

interface Row {
  readonly startBy: number;
  readonly completeBy: number;
  readonly startedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly progress: unknown;
  readonly confirmed: boolean;
}

async function rowOf(taskId: string): Promise<Row> {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
  const [row] = await db.query<Row>(
    `select ${ms("start_by")} as "startBy", ${ms("complete_by")} as "completeBy", ${ms("started_at")} as "startedAt",
            ${ms("heartbeat_at")} as "heartbeatAt", progress, confirmed_at is not null as confirmed
       from state.steps where task_id = $1 and name = 'a'`,
    [taskId],
  );
  return row as Row;
}

async function claimOne(workflow: string): Promise<ClaimedStep> {
  await submitOne(submission, { workflow });
  const [claim] = await claimAll(scheduler);
  return claim as ClaimedStep;
}

const signOf = (
  { taskId, agent, ...claim }: ClaimedStep,
  changes: Partial<AttemptSignOfTask> = {},
): AttemptSignOfTask => ({
  taskId,
  agent,
  ...attemptOf({ taskId, agent, ...claim }),
  runningFor: 0,
  beats: false,
  progress: null,
  ...changes,
});

const [beats, percent] = [true, 40] as const;

test("an attempt whose Agent says that it has begun has completeWithin from its start", async () => {
  const claim = await claimOne("plain.v1");
  expect(claim.completeBy - claim.now).toBeCloseTo(35_000, 0);
  await scheduler.recordAttemptSigns([signOf(claim)]);
  const { startedAt, completeBy, confirmed } = await rowOf(claim.taskId);
  expect(completeBy - (startedAt ?? 0)).toBeCloseTo(5_000, 0);
  expect((startedAt ?? 0) - claim.now).toBeLessThan(5_000);
  expect(confirmed).toBe(true);
});

test("the deadlines of the store are those of the domain, whatever Agents say", async () => {
  const runs = [0, 700, 12_000, 2 ** 31 - 1];
  for (const [workflow, extendUpTo] of [["plain.v1"], ["long.v1", 20_000]] as const) {
    for (const runningFor of runs) {
      const claim = await claimOne(workflow);
      const plan = { ...limits, ...(extendUpTo === undefined ? {} : { extendUpTo }) };
      for (const sign of [
        { runningFor, beats: false },
        { runningFor, beats },
      ]) {
        const before = await rowOf(claim.taskId);
        await scheduler.recordAttemptSigns([signOf(claim, sign)]);
        const after = await rowOf(claim.taskId);
        const known =
          before.startedAt === null
            ? null
            : { startedAt: before.startedAt, heartbeatAt: before.heartbeatAt };
        // The instant of the statement shows in what it wrote.
        const now = after.heartbeatAt ?? (after.startedAt ?? 0) + runningFor;
        const times = noteSign({ plan, ...before }, known, { ...sign, now });
        expect(after.startedAt).toBeCloseTo(times.startedAt, 0);
        if (runningFor < 5_000 || sign.beats) {
          expect(after.completeBy).toBeCloseTo(completeByOf({ plan, ...before }, times, now), 0);
        }
      }
      await scheduler.applyEvents([{ taskId: claim.taskId, event: completed(claim) }], {
        actor: "test",
      });
    }
  }
});

test("a hostile Agent that beats for ever extends its attempt to the cap of the step, and no further", async () => {
  const claim = await claimOne("long.v1");
  await db.query(
    `update state.steps set start_by = start_by - interval '40 s', complete_by = now() + interval '1 s'
      where task_id = $1 and name = 'a'`,
    [claim.taskId],
  );
  for (let beat = 0; beat < 3; beat += 1) {
    await scheduler.recordAttemptSigns([signOf(claim, { beats })]);
  }
  const { startBy, completeBy } = await rowOf(claim.taskId);
  expect(completeBy - startBy).toBeLessThanOrEqual(20_000);
});

test("a heartbeat of an old attempt, of a wrong token or of another Agent changes nothing", async () => {
  const claim = await claimOne("long.v1");
  const before = await rowOf(claim.taskId);
  const token = "00000000-0000-4000-8000-000000000000";
  await scheduler.recordAttemptSigns([
    signOf(claim, { attempt: claim.attempt + 1, beats }),
    signOf(claim, { token, beats }),
    signOf(claim, { agent: "stranger", beats }),
    signOf(claim, { step: "b", beats }),
  ]);
  expect(await rowOf(claim.taskId)).toEqual(before);
});

test("a sign of an attempt that is over changes nothing, and what was said of it is gone", async () => {
  const claim = await claimOne("plain.v1");
  await scheduler.recordAttemptSigns([signOf(claim, { beats, progress: { percent } })]);
  const event = { kind: "stopped", effect: "unknown", ...attemptOf(claim) } as const;
  await scheduler.applyEvents([{ taskId: claim.taskId, event }], { actor: "test" });
  await scheduler.recordAttemptSigns([signOf(claim, { beats })]);
  expect(await rowOf(claim.taskId)).toMatchObject({
    startedAt: null,
    heartbeatAt: null,
    progress: null,
  });
});

test("of several signs of one attempt in a batch the last counts, with what the others said", async () => {
  const claim = await claimOne("long.v1");
  const progress = { percent, note: "half of the pages" };
  await scheduler.recordAttemptSigns([signOf(claim, { beats, progress }), signOf(claim)]);
  const { progress: kept, heartbeatAt } = await rowOf(claim.taskId);
  expect(kept).toEqual(progress);
  expect(heartbeatAt).not.toBeNull();
});

test("an attempt that beats is not expired, and one that falls silent is after completeWithin", async () => {
  const claim = await claimOne("long.v1");
  await scheduler.recordAttemptSigns([signOf(claim, { beats })]);
  const pass = (seconds: number) =>
    db.query(
      `update state.steps set start_by = start_by - $1 * interval '1 s', complete_by = complete_by - $1 * interval '1 s',
              started_at = started_at - $1 * interval '1 s', heartbeat_at = heartbeat_at - $1 * interval '1 s'
        where task_id = $2 and name = 'a'`,
      [seconds, claim.taskId],
    );
  await pass(4);
  await scheduler.recordAttemptSigns([signOf(claim, { runningFor: 4_000, beats })]);
  await pass(4);
  expect((await supervisor.findExpired({ batch: 10 })).steps).toEqual([]);
  await pass(2);
  const [expired] = (await supervisor.findExpired({ batch: 10 })).steps;
  expect(expired).toMatchObject({ taskId: claim.taskId, step: "a", attempt: 1 });
  // From its claim to its deadline, however it moved: an outage in that time excuses the silence.
  expect(expired?.excused).toBe(false);
  await db.query(
    "insert into state.outages (part, from_at, to_at) values ('requests', now() - interval '9 s', now() - interval '8 s')",
    [],
  );
  expect((await supervisor.findExpired({ batch: 10 })).steps[0]?.excused).toBe(true);
});
