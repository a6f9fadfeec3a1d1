import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { claimAll, completed, newTask } from "../../test/fixtures.ts";
import {
  dropMonth,
  dropOldMonths,
  kept,
  type MonthsStore,
  openMonthsStore,
} from "../../test/months.ts";

const batch = 200;

let store: MonthsStore;
beforeEach(async () => {
  store = await openMonthsStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

const asSupervisor = async (sql: string): Promise<void> => {
  await store.db.query("set role holdfast_supervisor");
  try {
    await store.db.query(sql);
  } finally {
    await store.db.query("reset role");
  }
};

describe("retention", () => {
  beforeEach(async () => {
    await store.beginAt(-4);
    await store.supervisor.makePartitions();
  });

  test("drops expired months, with all rows that belong to them", async () => {
    await store.submitIn(await store.monthAt(-4), 7);
    await store.submitIn(await store.monthAt(-3), 1);
    await store.submitIn(await store.monthAt(0), 2);
    expect(await store.countAll()).toEqual([10, 10, 10, 10, 50]);
    expect(await dropOldMonths(store)).toEqual(await Promise.all([-4, -3].map(store.monthAt)));
    expect(await store.months()).toEqual(await Promise.all([-2, -1, 0, 1].map(store.monthAt)));
    expect(await store.countAll()).toEqual([2, 2, 2, 2, 10]);
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("frees the business keys of a month, also if an earlier month has to stay", async () => {
    await store.submitIn(await store.monthAt(-4), 1, false);
    for (const offset of [-3, -5]) {
      await store.db.query(
        `insert into state.business_keys
         values ('default', 'test', $1, state.first_id_of($2::date + interval '14 days'))`,
        [`key of ${offset}`, await store.monthAt(offset)],
      );
    }
    const submit = async (offset: number) =>
      (
        await store.submission.submitTasks([newTask({ key: `key of ${offset}` })], {
          actor: "test",
        })
      )[0];
    expect(await submit(-3)).toMatchObject({ kind: "held" });
    expect(await dropOldMonths(store)).toEqual([await store.monthAt(-3)]);
    expect(await submit(-3)).toMatchObject({ kind: "created" });
    expect(await submit(-5)).toMatchObject({ kind: "created" });
  });

  test("keeps a month with an unfinished task, and deletes what has finished", async () => {
    await store.submitIn(await store.monthAt(-4), 7);
    await store.submitIn(await store.monthAt(-4), 1, false);
    expect(await dropOldMonths(store)).toEqual([await store.monthAt(-3)]);
    expect(await store.countAll()).toEqual([1, 1, 1, 0, 1]);
    const other = await store.db.open("scheduler");
    const [claim] = await claimAll(other);
    await other.applyEvents([{ taskId: claim!.taskId, event: completed(claim!), output: {} }], {
      actor: "test",
    });
    expect(await dropOldMonths(store)).toEqual([]);
    expect(await store.countAll()).toEqual([1, 1, 1, 1, 5]);
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("waits for the last task of a month, and deletes none before", async () => {
    await store.submitIn(await store.monthAt(-3), 3);
    await store.db.query(
      "update state.tasks set finished_at = now(), version = version + 1 where ctid = (select min(ctid) from state.tasks)",
    );
    expect(await dropOldMonths(store)).toEqual([await store.monthAt(-4)]);
    expect(await store.count("state.tasks")).toBe(3);
  });

  test("waits for no session at work in a month, and makes no session wait", async () => {
    await using busy = await store.connect();
    await busy.query("begin; select count(*) from state.events");
    expect(await dropOldMonths(store)).toEqual([]);
    expect(await store.months()).toHaveLength(6);
    await busy.query("commit");
    expect(await dropOldMonths(store)).toHaveLength(2);
  });

  test("drops a month once, however many Supervisors try", async () => {
    const month = await store.monthAt(-4);
    const dropping = { month, keep: kept };
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => store.supervisor.dropMonth(dropping)),
    );
    expect(tries.filter((isDropped) => isDropped).length).toBeLessThan(2);
    expect(await dropMonth(store, dropping)).toBe(true);
    expect(await store.supervisor.dropMonth(dropping)).toBe(false);
  });

  test("deletes no task that ended less than a day ago, whatever the settings", async () => {
    await store.submitIn(await store.monthAt(-4), 1);
    await store.db.query(
      "update state.tasks set finished_at = now() - interval '23 hours', version = version + 1",
    );
    const month = await store.monthAt(-4);
    expect(await store.supervisor.deleteFinishedTasks({ month, keep: 0, batch })).toBe(0);
    expect(await store.supervisor.dropMonth({ month, keep: 0 })).toBe(false);
    expect(await store.supervisor.dropMonth({ month: await store.monthAt(0), keep: 0 })).toBe(
      false,
    );
  });

  test("is allowed to the Supervisor alone, which owns no table", async () => {
    const month = await store.monthAt(-4);
    await expect(store.scheduler.dropMonth({ month, keep: kept })).rejects.toMatchObject({
      details: { sqlstate: "42501" },
    });
    for (const sql of [
      "delete from state.tasks",
      "delete from state.events",
      "drop table state.events",
      `select state.make_partition('${month}')`,
    ]) {
      await expect(asSupervisor(sql)).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("deletes old messages, old alerts whether a queue took them or not, and ended pauses", async () => {
    await store.submitIn(await store.monthAt(-3), 1, false);
    await store.db.query(`
      with at (at) as (values (now() - interval '32 days'), (now() - interval '30 days'))
      insert into state.rejected_replies (reason, body, at) select 'x', '', at from at;
      insert into state.dead_letters (queue, reason, body, at)
      select 'x', 'x', '', at from (values (now() - interval '32 days'), (now())) as at (at);
      insert into state.alerts (task_id, episode, kind, code, at, told_at)
      select task_id, episode, 'task.halted', 'x', now() - interval '32 days', told_at
        from (select task_id, 1, now() from state.tasks
              union all select null, 2, now()
              union all select state.new_task_id(), 3, now()
              union all select state.new_task_id(), 4, null) as alert (task_id, episode, told_at);
      insert into state.pauses (kind, name, actor, reason, paused_at, resumed_at, resumed_by, released_at)
      select 'agent', name, 'x', 'x', now() - interval '40 days', resumed_at, by, resumed_at
        from (values ('over', now() - interval '32 days', 'x'), ('lately', now(), 'x'), ('on', null, null))
          as pause (name, resumed_at, by)`);
    expect(await store.supervisor.deleteOldRecords({ keep: kept, batch })).toBe(4);
    // Messages have a limit of their own.
    expect(await store.count("state.rejected_replies")).toBe(2);
    expect(await store.count("state.dead_letters")).toBe(2);
    expect(await store.supervisor.deleteOldMessages({ keep: kept, batch })).toBe(2);
    expect(await store.count("state.rejected_replies")).toBe(1);
    expect(await store.count("state.dead_letters")).toBe(1);
    // Its task is still there.
    expect(await store.db.query("select episode from state.alerts")).toEqual([{ episode: 1 }]);
    expect(await store.db.query("select name from state.pauses order by 1")).toEqual([
      { name: "lately" },
      { name: "on" },
    ]);
  });
});

test("retention deletes idempotency keys that have expired", async () => {
  const submitted = ["1", "2", "3"].map((key) => newTask({ idempotency: { key, hash: key } }));
  await store.submission.submitTasks(submitted, { actor: "test" });
  await store.db.query(
    "update state.submissions set expires_at = now() where idempotency_key < '3'",
  );
  expect(await store.supervisor.deleteExpiredKeys({ batch: 1 })).toBe(1);
  expect(await store.supervisor.deleteExpiredKeys({ batch })).toBe(1);
  expect(await store.db.query("select idempotency_key as key from state.submissions")).toEqual([
    { key: "3" },
  ]);
});

/** Tables of which no row is deleted because it is old. */
const lasting: Readonly<Record<string, string>> = {
  breakers: "one row for each remote service",
  business_key_sweep: "one row",
  collections: "one row for each workflow",
  compatibility: "one row",
  dead_letter_alerts: "one row for each queue and reason",
  fairness_keys: "deleted once the queue has passed the key",
  known_agents: "one row for each Agent",
  migrations: "one row for each migration",
  remotes: "one row for each Agent",
  statistics_gaps: "deleted once the rows of the gap are counted, or can no longer come",
  statistics_progress: "one row",
  trusted_clock: "one row",
  workflows: "one row for each workflow",
};

/** A row of each other table, from the middle of a month that is over. */
const old = (task: string): Readonly<Record<string, string>> => ({
  agents: `(agent, instance, capacity, in_flight, breaker, seen_at) values ('a', 'i', 1, 0, 'closed', past)`,
  alerts: `(task_id, episode, kind, code, at) values (${task}, 1, 'task.halted', 'x', past)`,
  bulk_items: `(operation_id, number, task_id, version) values (${task}, 1, ${task}, 1)`,
  bulk_operations: `(id, action, filter, actor, reason, request_hash, canary, rate, paced_from, state, matched, waiting, ended_at)
                    values (${task}, 'undo', '{}', 'x', 'x', 'x', 0, 1, past, 'done', 1, 1, past)`,
  business_keys: `values ('default', 'test', 'k', ${task})`,
  dead_letter_actions: `(letter_id, queue, action, actor, reason, at) values (1, 'q', 'discard', 'x', 'x', past)`,
  dead_letters: `(queue, reason, body, at) values ('q', 'x', '', past)`,
  failure_groups: `values ('f', 'test.v1', 'a', 'x.y', '', 1, past, past)`,
  failures: `values (${task}, 'a', 'f', false, past)`,
  instances: `(service, instance, version, seen_at) values ('scheduler', 'i', '1', past)`,
  outbox: `(subject, channel, seq, body, at) values ('s', 'event', 1, '{}', past)`,
  pauses: `(kind, name, actor, reason, paused_at, resumed_at, resumed_by, released_at)
           values ('agent', 'a', 'x', 'x', past, past, 'x', past)`,
  rejected_replies: `(reason, body, at) values ('x', '', past)`,
  standstills: `values ('i', 'q', 1, 1, past, 'x', past)`,
  statistics: `(resolution, subject, at) values ('minute', '', past)`,
  submissions: `values ('default', 'i', 'h', ${task}, past)`,
  task_labels: `values ('l', 'x', ${task})`,
});

test("no table keeps old rows for ever, while a task of an earlier month is open", async () => {
  await store.beginAt(-4);
  await store.supervisor.makePartitions();
  await store.submitIn(await store.monthAt(-3), 1);
  await store.submitIn(await store.monthAt(-4), 1, false);
  const past = `('${await store.monthAt(-3)}'::timestamp at time zone 'UTC' + interval '14 days')`;
  const inserted = old(`state.first_id_of${past}`);
  for (const [table, row] of Object.entries(inserted)) {
    await store.db.query(`insert into state.${table} ${row.replaceAll(/\bpast\b/g, past)}`);
  }
  const tables = await store.db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'state'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const byMonth = ["tasks", "steps", "task_payloads", "step_payloads", "events"];
  const known = [...Object.keys(lasting), ...Object.keys(inserted), ...byMonth];
  // A new table says how it is kept small.
  expect(tables.map(({ name }) => name).toSorted()).toEqual(known.toSorted());

  const { supervisor, scheduler } = store;
  const keeping = { keep: kept, batch };
  expect(await dropOldMonths(store)).toEqual([await store.monthAt(-3)]);
  while ((await supervisor.deleteOldBulkOperations(keeping)) > 0);
  await supervisor.deleteExpiredKeys({ batch });
  await supervisor.deleteFreeBusinessKeys({ batch });
  await supervisor.deleteOldRecords(keeping);
  await supervisor.deleteOldMessages(keeping);
  for (let rounds = 0; rounds < 2; rounds += 1) await supervisor.deleteOldStatistics({ batch });
  await scheduler.deleteStaleNotifications();
  await scheduler.recordInstance({ service: "scheduler", instance: "j", version: "1", slots: 1 });
  await scheduler.recordStandstills({ instance: "j", standstills: [] });
  const beat = { agent: "b", capacity: 1, inFlight: 0, breaker: "closed", openForMs: 0 } as const;
  await scheduler.recordHeartbeats([{ ...beat, instance: "j" }]);
  const kinds = Object.keys(inserted);
  const left = await Promise.all(kinds.map((table) => store.count(`state.${table}`)));
  // Of instances and Agents there are those that have reported.
  expect(kinds.filter((_, index) => left[index]! > 0)).toEqual(["agents", "instances"]);
  expect([await store.count("state.agents"), await store.count("state.instances")]).toEqual([1, 1]);
  // The open task, of the earlier month.
  expect(await store.count("state.tasks")).toBe(1);
});
