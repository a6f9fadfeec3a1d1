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
