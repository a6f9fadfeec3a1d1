import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  attemptOf,
  claimAll,
  openTestStores,
  submitMany,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { complete, drain, stepStates } from "../../test/replies.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let submission: StateStore;
let scheduler: StateStore;
let supervisor: StateStore;
beforeAll(async () => {
  ({ db, submission, scheduler, supervisor } = await openTestStores(
    testWorkflow([{ name: "a" }, { name: "b" }]),
    testWorkflow(
      [
        { name: "a" },
        { name: "b", onlyIf: { equals: [{ $ref: "/steps/a/wanted" }, true] } },
        { name: "c" },
      ],
      "choice.v1",
    ),
  ));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(() => db.clear("rejected_replies"));

const submit = (count: number, workflow = "test.v1") => submitMany(submission, count, { workflow });
const apply = (...reportedEvents: Parameters<StateStore["applyEvents"]>[0]) =>
  scheduler.applyEvents(reportedEvents, { actor: "scheduler-1" });
const violations = () => submission.findInvariantViolations({ batch: 10 });

/** One scan, as the Supervisor makes it. */
async function supervise(actor: string): Promise<void> {
  const { steps } = await supervisor.findExpired({ batch: 500 });
  const reportedEvents = steps.map(({ taskId, ...attempt }) => ({
    taskId,
    event: { kind: "expired", ...attempt } as const,
  }));
  await supervisor.applyEvents(reportedEvents, { actor, skipLocked: true });
}

const expire = () =>
  db.query(
    "update state.steps set start_by = now() - interval '2 s', complete_by = now() - interval '1 s', confirmed_at = now() where process_state = 'processing'",
  );

describe("the Supervisor", () => {
  test("counts each silent step once, however many Supervisors look", async () => {
    await submit(300);
    await claimAll(scheduler);
    await expire();
    await Promise.all([1, 2, 3, 4, 5].map((n) => supervise(`supervisor-${n}`)));
    await supervise("supervisor-6");
    const counts = await db.query(
      "select failure_count, count(*)::int from state.steps where name = 'a' group by 1",
    );
    expect(counts).toEqual([{ failure_count: 1, count: 300 }]);
  });

  test("recovers tasks of workflows with conditions, without seeing what they are about", async () => {
    await submit(2, "choice.v1");
    await claimAll(scheduler);
    await expire();
    await supervise("supervisor");
    const rested = await db.query("select failure_count from state.steps where name = 'a'");
    expect(rested).toEqual([{ failure_count: 1 }, { failure_count: 1 }]);
    await db.query("update state.steps set not_before = now() where process_state = 'pending'");
    await scheduler.stageDueSteps();
    const [claim] = await claimAll(scheduler);
    const { tasks } = await apply(complete(claim!, { wanted: true }));
    expect(stepStates(tasks[0])).toMatchObject({ b: "pending" });
  });

  test("cannot change or delete what a task was submitted with, nor delete what a step returned", async () => {
    // It resolves steps for bulk operations: hence what it may write.
    const rightsOn = (table: string) =>
      db.query(
        `select array_agg(kind) as rights from unnest(array['select', 'insert', 'update', 'delete']) as kind
          where has_table_privilege('holdfast_supervisor', 'state.${table}', kind)`,
      );
    expect(await rightsOn("task_payloads")).toEqual([{ rights: ["select"] }]);
    expect(await rightsOn("step_payloads")).toEqual([{ rights: ["select", "insert", "update"] }]);
  });

  test("does not count a step whose reply comes at the same moment: one of the two wins", async () => {
    await submit(100);
    const claims = await claimAll(scheduler);
    await expire();
    const expiries = claims.map((claim) => ({
      taskId: claim.taskId,
      event: { kind: "expired", ...attemptOf(claim) } as const,
    }));
    const [replies, expired] = await Promise.all([
      apply(...claims.map((claim) => complete(claim))),
      supervisor.applyEvents(expiries, { actor: "supervisor", skipLocked: true }),
    ]);
    replies.outcomes.forEach(({ applied }, index) => {
      expect(applied !== expired.outcomes[index]?.applied || !applied).toBe(true);
      expect(applied || expired.outcomes[index]?.applied).toBe(true);
    });
    expect(await violations()).toEqual([]);
  });
});

const work = async (name: string) => {
  for (let idle = 0; idle < 3; ) {
    const capacity = [{ lane: "agent", slots: 40 }];
    const claims = await scheduler.claimDueSteps({ lockedBy: name, capacity, resendAfter: 300 });
    idle = claims.length === 0 ? idle + 1 : 0;
    await scheduler.applyEvents(
      claims.map((claim) => complete(claim)),
      { actor: name },
    );
  }
};

test("eight Schedulers and five Supervisors race over a thousand steps: no double claim, no deadlock", async () => {
  await submit(500);
  await Promise.all([
    ...Array.from({ length: 8 }, (_, index) => work(`scheduler-${index}`)),
    ...Array.from({ length: 5 }, async (_, index) => {
      for (let round = 0; round < 10; round += 1) await supervise(`supervisor-${index}`);
    }),
  ]);
  await drain(scheduler);
  expect(await db.query("select process_state, count(*)::int from state.tasks group by 1")).toEqual(
    [{ process_state: "processed", count: 500 }],
  );
  expect(await db.query("select 1 from state.steps where attempt <> 1")).toEqual([]);
  expect(await violations()).toEqual([]);
});
