import { testScope } from "@holdfast/test-servers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  claimAll,
  completed,
  failed,
  newTask,
  openTestStores,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { openHistories } from "../../test/histories.ts";
import type { StateStore } from "../roles.ts";
import type { RolledUp } from "./roll-up.ts";

let db: TestStore;
let stores: Awaited<ReturnType<typeof openTestStores>>;
let other: StateStore;
/** All of them count the same history. */
let supervisors: readonly StateStore[];
beforeAll(async () => {
  stores = await openTestStores(testWorkflow([{ name: "a" }, { name: "b", onFailure: "halt" }]));
  db = stores.db;
  other = await db.open("supervisor");
  const more = [await db.open("supervisor"), await db.open("supervisor")];
  supervisors = [stores.supervisor, other, ...more];
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await db.clear("statistics", "statistics_gaps", "failures", "failure_groups", "alerts");
  // As if the history began here.
  await db.query(
    `update state.statistics_progress
        set counted_to = (select last_value from state.events_id_seq), months = '{}',
            pending = 0, processing = 0, undoing = 0, halted = 0`,
  );
});

/** Rounds of both Supervisors at once, until neither finds more. */
async function rollUpAll(): Promise<number> {
  let events = 0;
  for (;;) {
    const rounds: RolledUp[] = await Promise.all([stores.supervisor.rollUp(), other.rollUp()]);
    events += rounds.reduce((sum, round) => sum + round.events, 0);
    const { isDue } = await other.findStatisticsProgress();
    // Transactions of other tests on the server keep gaps for longer.
    if (!isDue && (await db.query("select from state.statistics_gaps")).length === 0) return events;
  }
}

const kept = () =>
  db.query(
    `select resolution, subject, (extract(epoch from at) * 1000)::float8 as at, submitted::int, processed::int,
            undone::int, halted::int, attempts::int, failed_attempts::int, undone_steps::int,
            (select coalesce(sum(one), 0)::int from unnest(durations) as one) as took
       from state.statistics order by 1, 2, 3`,
  );

/**
 * Counts the same by one statement over the whole history, which knows nothing of rounds, gaps and
 * batches.
 */
const recounted = () =>
  db.query(
    `with facts as (
       select e.*, t.workflow, s.kind = 'undo' as is_undo, coalesce(s.agent, s.lane) as agent,
              e.action in ('retry', 'coolDown', 'fail') as has_failed,
              (select max(c.at) from state.events c
                where c.task_id = e.task_id and c.step = e.step and c.action = 'claim' and c.id < e.id) as claimed_at
         from state.events e
         join state.tasks t using (task_id)
         left join state.steps s on s.task_id = e.task_id and s.name = e.step
     ),
     counted as (
       select subject, at,
              (step is null and action = 'submit')::int as submitted,
              (step is null and action <> 'submit' and to_state = 'processed' and from_state <> to_state)::int as processed,
              (step is null and to_state = 'undone' and from_state <> to_state)::int as undone,
              (step is null and to_state = 'halted' and from_state <> to_state)::int as halted,
              (action = 'claim')::int as attempts, has_failed::int as failed_attempts,
              (is_undo and action in ('complete', 'resolve'))::int as undone_steps,
              (step is null and to_state in ('processed', 'undone') and from_state <> to_state)::int as took
         from facts cross join lateral (values (''), ('workflow:' || workflow)) as of_subject (subject)
       union all
       select 'agent:' || agent, at, 0, 0, 0, 0, 1, has_failed::int, (is_undo and action = 'complete')::int,
              (claimed_at is not null)::int
         from facts
        where from_state = 'processing' and (has_failed or action = 'complete')
     )
     select resolution, subject, (extract(epoch from date_trunc(resolution, at, 'UTC')) * 1000)::float8 as at,
            sum(submitted)::int as submitted, sum(processed)::int as processed, sum(undone)::int as undone,
            sum(halted)::int as halted, sum(attempts)::int as attempts, sum(failed_attempts)::int as failed_attempts,
            sum(undone_steps)::int as undone_steps, sum(took)::int as took
       from counted cross join (values ('minute'), ('hour'), ('day')) as known (resolution)
      where submitted + processed + undone + halted + attempts + failed_attempts + undone_steps + took > 0
      group by 1, 2, 3 order by 1, 2, 3`,
  );

/** One Supervisor takes its turn while that of another ends. */
const twice = async (supervisor: StateStore): Promise<void> => {
  await supervisor.rollUp();
  await supervisor.rollUp();
};

// Two in most runs: on a store that breaks, each takes five seconds.
const seeds = testScope().kind === "usual" ? [1] : [1, 2, 3, 4, 5, 6];
test.each(seeds)(
  "each entry of a history is counted once, although transactions commit late or never and four Supervisors count at once (seed %d)",
  async (seed) => {
    await using histories = await openHistories(db, seed);
    for (let acts = 0; acts < 150; acts += 1) {
      await histories.act();
      await Promise.all(supervisors.map(twice));
    }
    await histories.end();
    await rollUpAll();
    expect(await kept()).toEqual(await recounted());
    expect((await kept()).length).toBeGreaterThan(50);
    expect(await db.query("select from state.statistics_gaps")).toEqual([]);
  },
);

test("a transaction that stays open keeps nothing from being counted, and is counted when it commits", async () => {
  const { submission } = stores;
  await db.query("begin");
  await db.query(
    "insert into state.events (task_id, action, to_state, actor) values (state.new_task_id(), 'submit', 'pending', 'late')",
  );
  for (let round = 0; round < 5; round += 1) {
    await submission.submitTasks([newTask()], { actor: "test" });
    await Promise.all([stores.supervisor.rollUp(), other.rollUp()]);
  }
  const submitted = () =>
    db.query(
      "select sum(submitted)::int as submitted from state.statistics where subject = '' and resolution = 'day'",
    );
  const { behind } = await other.findStatisticsProgress();
  expect(await submitted()).toEqual([{ submitted: 5 }]);
  await db.query("commit");
  expect(behind).toBe(0);
  await rollUpAll();
  expect(await submitted()).toEqual([{ submitted: 6 }]);
});

test("after an outage of the Supervisors the history is counted in batches", async () => {
  await db.query(
    `insert into state.events (task_id, action, to_state, actor, at)
     select state.new_task_id(), 'submit', 'pending', 'test', '2026-11-24T10:00:00Z' from generate_series(1, 25000)`,
  );
  const rounds = [];
  for (let round = 0; round < 4; round += 1) rounds.push(await stores.supervisor.rollUp());
  expect(rounds.map(({ events, behind }) => [events, behind])).toEqual([
    [10_000, 15_000],
    [10_000, 5_000],
    [5_000, 0],
    [0, 0],
  ]);
  expect(await kept()).toMatchObject([
    { submitted: 25_000 },
    { submitted: 25_000 },
    { submitted: 25_000 },
  ]);
});

test("the roll-up knows how many tasks are open in each state, and which of them failed alike and halted", async () => {
  const { submission, scheduler, operations } = stores;
  const tasks = Array.from({ length: 5 }, () => newTask());
  await submission.submitTasks(tasks, { actor: "test" });
  const first = await claimAll(scheduler);
  const actor = { actor: "scheduler-1" };
  await scheduler.applyEvents(
    first
      .slice(0, 4)
      .map((claim) => ({ taskId: claim.taskId, event: completed(claim), output: {} })),
    actor,
  );
  const second = await claimAll(scheduler);
  await scheduler.applyEvents(
    second.slice(0, 3).map((claim, place) => ({
      taskId: claim.taskId,
      event: failed(claim, { transient: false, code: "cards.declined" }),
      faultDetail: `card ${place} of order ${claim.taskId} is declined`,
    })),
    actor,
  );
  await rollUpAll();
  const [progress] = await db.query(
    "select pending::int, processing::int, undoing::int, halted::int from state.statistics_progress",
  );
  const { states } = await operations.findOverview();
  expect({ pending: 0, processing: 0, undoing: 0, halted: 0, ...states }).toEqual(progress);
  expect(states).toEqual({ processing: 2, halted: 3 });

  const all = { workflows: null, createdFrom: null, createdBefore: null };
  const { groups } = await operations.findFailures(all);
  const ids = second.slice(0, 3).map(({ taskId }) => taskId);
  expect(groups).toMatchObject([
    {
      workflow: "test.v1",
      step: "b",
      faultCode: "cards.declined",
      message: "card # of order # is declined",
      count: 3,
      open: 3,
    },
  ]);
  expect(groups[0]?.sample.toSorted()).toEqual(ids.toSorted());

  const halted = second[0]!;
  await operations.applyEvents(
    [{ taskId: halted.taskId, event: { kind: "undoRequested", code: "operator.cancel" } }],
    { actor: "ann" },
  );
  await rollUpAll();
  const [group] = (await operations.findFailures(all)).groups;
  expect(group).toMatchObject({ count: 3, open: 2 });
  const page = {
    tenant: "default",
    conditions: [],
    createdFrom: null,
    createdBefore: null,
    after: null,
    most: 10,
  };
  const { items } = await operations.listTasks({ ...page, fingerprint: group!.fingerprint });
  expect(items.map(({ taskId }) => taskId).toSorted()).toEqual(ids.toSorted());
});
