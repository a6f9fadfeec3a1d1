import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { claimAll, completed, failed, newTask, testWorkflow } from "../../test/fixtures.ts";
import { type MonthsStore, monthOfTask, openMonthsStore } from "../../test/months.ts";
import { claimSteps } from "../claim/claim-due-steps.ts";
import { type ClaimedStep } from "../claim/claimed-step.ts";
import { dueIndex } from "../claim/due-index.ts";
import { idsBetween } from "../postgres/active-partitions.ts";
import type { IdRange, PlannedRange } from "../postgres/query.ts";

let store: MonthsStore;
beforeEach(async () => {
  store = await openMonthsStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

/** The ids among which, the store says, there may be something to do. */
const busyIds = async (): Promise<IdRange> => {
  const [{ firstId, endId }] = (await store.db.query<{ firstId: string; endId: string }>(
    `select first_id::text as "firstId", end_id::text as "endId" from state.busy_months`,
  )) as [{ firstId: string; endId: string }];
  return idsBetween(firstId, endId);
};
const idsOf = async (offset: number): Promise<IdRange> => {
  const [first] = await store.db.query<{ id: string }>(
    "select state.first_id_of($1::date)::text as id",
    [await store.monthAt(offset)],
  );
  return monthOfTask(first!.id);
};
async function claimIn(range: IdRange): Promise<readonly ClaimedStep[]> {
  await using client = await store.connect();
  const searched = () => range as PlannedRange;
  const partitions = { range: searched, monthsOf: searched, include: async () => {} };
  return await claimSteps({ dueIndex: dueIndex(), partitions })(client, {
    lockedBy: "scheduler-1",
    capacity: [{ lane: "agent", slots: 10 }],
    resendAfter: 300,
  });
}

describe("the partition of a coming month", () => {
  test("begins and ends at the ids that searches for a task assume", async () => {
    await store.beginAt(-13);
    await store.supervisor.makePartitions();
    const found = await store.db.query<{ firstId: string; endId: string; taskId: string }>(
      `select state.first_id_of(month)::text as "firstId", end_id::text as "endId",
              state.first_id_of(month + interval '10 days')::text as "taskId"
         from state.partitions`,
    );
    expect(found).toHaveLength(15);
    for (const { firstId, endId, taskId } of found) {
      expect(monthOfTask(taskId)).toEqual(idsBetween(firstId, endId));
      expect(monthOfTask(firstId).lastId).toEqual(idsBetween(firstId, endId).lastId);
    }
  });

  test("exists from the start, for this month and the next", async () => {
    expect(await store.months()).toEqual([await store.monthAt(0), await store.monthAt(1)]);
    expect(await store.supervisor.makePartitions()).toEqual([]);
  });

  test("is created for all missing months, by one of several rivals", async () => {
    await store.beginAt(-3);
    const missing = await Promise.all([-2, -1, 0, 1].map(store.monthAt));
    const made = await Promise.all(
      Array.from({ length: 4 }, () => store.supervisor.makePartitions()),
    );
    expect(made.flat()).toEqual(missing);
    expect(await store.months()).toEqual([await store.monthAt(-3), ...missing]);
  });

  test("is created without changing existing partitions", async () => {
    await store.submission.submitTasks([newTask()], { actor: "test" });
    const month = await store.monthAt(0);
    await store.db.query("select state.make_partition($1)", [month]);
    await expect(store.db.query("select state.seem_full($1)", [month])).rejects.toThrow(
      "has tasks already",
    );
    expect(await store.countAll()).toEqual([1, 1, 1, 0, 1]);
  });

  test("has the constraints and the triggers of all months", async () => {
    const walls = await store.db.query(
      `select right(relname, 7) as month, inhparent::regclass::text as table,
              (select conname from pg_constraint where conrelid = inhrelid and contype = 'c') as rule,
              (select count(*)::integer from pg_trigger where tgrelid = inhrelid) as guards
         from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent in ('state.tasks'::regclass, 'state.steps'::regclass)`,
    );
    expect(walls).toHaveLength(4);
    for (const wall of walls) expect(wall).toMatchObject({ rule: "sound", guards: 1 });
  });

  test("is created by an order that does not find it", async () => {
    await store.beginAt(-3);
    const [submitted] = await store.submission.submitTasks([newTask()], { actor: "test" });
    expect(submitted).toMatchObject({ kind: "created" });
    expect((await store.months()).at(-1)).toBe(await store.monthAt(1));
    expect(await store.countAll()).toEqual([1, 1, 1, 0, 1]);
  });

  test("is created without blocking sessions at work", async () => {
    await store.beginAt(-1);
    await using busy = await store.connect();
    await busy.query(`begin; insert into state.events (task_id, action, to_state, actor)
                      values (state.first_id_of('${await store.monthAt(-1)}'::date), 'x', 'x', 'x')`);
    expect(await store.supervisor.makePartitions()).toHaveLength(2);
  });
});

describe("a month that is over", () => {
  beforeEach(async () => {
    await store.beginAt(-4);
    await store.supervisor.makePartitions();
  });

  test("is searched as long as one of its steps is due, delayed or in flight", async () => {
    const { firstId } = await idsOf(-2);
    await store.submitIn(await store.monthAt(-2), 1);
    expect(await busyIds()).toMatchObject({ firstId: (await idsOf(0)).firstId });
    await store.submitIn(await store.monthAt(-2), 1, false);
    expect(await busyIds()).toMatchObject({ firstId });
    expect(await claimIn(await idsOf(0))).toEqual([]);
    const [claim] = await claimIn(await busyIds());
    expect(claim).toBeDefined();
    expect(await busyIds()).toMatchObject({ firstId });
    await store.scheduler.applyEvents([{ taskId: claim!.taskId, event: failed(claim!) }], {
      actor: "test",
    });
    expect(
      await store.db.query(
        "select 1 from state.steps where rank is null and process_state = 'pending'",
      ),
    ).toHaveLength(1);
    expect(await busyIds()).toMatchObject({ firstId });
  });

  test.each([
    ["the month before", [-1, 0]],
    ["months long ago", [-4, -3, 0]],
  ])("is decided in one batch with this month: tasks of %s", async (_, offsets) => {
    for (const offset of offsets) await store.submitIn(await store.monthAt(offset), 2, false);
    const claims = await claimIn(await busyIds());
    expect(claims).toHaveLength(2 * offsets.length);
    await store.scheduler.confirmRequests(claims);
    const reportedEvents = claims.map((claim) => ({
      taskId: claim.taskId,
      event: completed(claim),
      output: {},
    }));
    const { outcomes } = await store.scheduler.applyEvents(reportedEvents, { actor: "test" });
    expect(outcomes.every(({ applied }) => applied)).toBe(true);
    expect(await store.scheduler.countTasks()).toEqual({ processed: claims.length });
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("is not searched for steps that wait for a person", async () => {
    await store.submission.registerWorkflow(
      testWorkflow([{ name: "a", onFailure: "halt" }], "halting.v1"),
    );
    await store.submitIn(await store.monthAt(-2), 1, false, "halting.v1");
    const [claim] = await claimIn(await busyIds());
    const event = failed(claim!, { transient: false, code: "x" });
    await store.scheduler.applyEvents([{ taskId: claim!.taskId, event }], { actor: "test" });
    expect(await store.scheduler.countTasks()).toEqual({ halted: 1 });
    expect(await busyIds()).toEqual(await idsOf(0));
  });

  test("is not searched for a step that waits, and is again as soon as its wait has ended", async () => {
    const rest = { name: "rest", wait: { for: 60_000 } };
    await store.submission.registerWorkflow(testWorkflow([rest, { name: "b" }], "resting.v1"));
    await store.submitIn(await store.monthAt(-2), 1, false, "resting.v1");
    const withoutFaults = "a range whose answer is lost is read again half a minute later";
    const scheduler = await store.db.open("scheduler", { withoutFaults });
    expect(await busyIds()).toEqual(await idsOf(0));
    expect(await claimAll(scheduler)).toEqual([]);
    // From here on this Scheduler claims among the ids of this month alone, for half a minute.
    const hasRead = `select from pg_stat_activity
                      where datname = current_database() and application_name = 'test scheduler'
                        and state = 'idle' and query like '%state.busy_months%'`;
    while ((await store.db.query(hasRead)).length === 0);
    await store.db.query(
      `set session_replication_role = replica;
       update state.waits set deadline = now(), due_at = now();
       update state.steps set not_before = waits.deadline from state.waits
        where waits.task_id = steps.task_id and waits.step = steps.name;
       reset session_replication_role`,
    );
    const round = { actor: "test", most: 100, expected: null };
    expect((await scheduler.fireWaits(round)).fired).toMatchObject([{ step: "rest" }]);
    expect(await busyIds()).toMatchObject({ firstId: (await idsOf(-2)).firstId });
    expect(await claimAll(scheduler)).toMatchObject([{ name: "b" }]);
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("is searched like all months if this month has no partition", async () => {
    for (const offset of [0, 1]) await store.dropByHand(await store.monthAt(offset));
    expect(
      await store.db.query("select 1 from state.busy_months where first_id is not null"),
    ).toEqual([]);
  });
});
