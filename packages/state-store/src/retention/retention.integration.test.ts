import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { claimAll, completed, newTask } from "../../test/fixtures.ts";
import { type MonthsStore, openMonthsStore } from "../../test/months.ts";

const day = 24 * 3_600_000;
const kept = 31 * day;
const batch = 200;

let store: MonthsStore;
beforeEach(async () => {
  store = await openMonthsStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

/** What a Supervisor does about the past, once; whether the month before last is old depends on the day. */
async function forget(): Promise<readonly string[]> {
  const dropped: string[] = [];
  const undecided = await store.monthAt(-2);
  for (const old of await store.supervisor.findOldMonths({ keep: kept })) {
    if (old.month === undecided) continue;
    if (old.hasRecent && !old.hasUnfinished) continue;
    const { month, hasUnfinished } = old;
    const keeping = { month, keep: kept, batch: 3 };
    if (hasUnfinished) while ((await store.supervisor.deleteFinishedTasks(keeping)) === 3);
    else if (await hasGone(keeping)) dropped.push(month);
  }
  return dropped;
}

/** Whether the month was dropped: by the answer alone nobody knows, for it may be lost. */
async function hasGone(dropping: { readonly month: string; readonly keep: number }) {
  for (let tries = 0; tries < 5; tries += 1) {
    // False as well while the server itself is at work in it.
    await store.supervisor.dropMonth(dropping);
    if (!(await store.months()).includes(dropping.month)) return true;
  }
  return false;
}

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
    expect(await forget()).toEqual(await Promise.all([-4, -3].map(store.monthAt)));
    expect(await store.months()).toEqual(await Promise.all([-2, -1, 0, 1].map(store.monthAt)));
    expect(await store.countAll()).toEqual([2, 2, 2, 2, 10]);
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("keeps a month with an unfinished task, and deletes what has finished", async () => {
    await store.submitIn(await store.monthAt(-4), 7);
    await store.submitIn(await store.monthAt(-4), 1, false);
    expect(await forget()).toEqual([await store.monthAt(-3)]);
    expect(await store.countAll()).toEqual([1, 1, 1, 0, 1]);
    const other = await store.db.open("scheduler");
    const [claim] = await claimAll(other);
    await other.applyEvents([{ taskId: claim!.taskId, event: completed(claim!), output: {} }], {
      actor: "test",
    });
    expect(await forget()).toEqual([]);
    expect(await store.countAll()).toEqual([1, 1, 1, 1, 5]);
    expect(await store.submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("waits for the last task of a month, and deletes none before", async () => {
    await store.submitIn(await store.monthAt(-3), 3);
    await store.db.query(
      "update state.tasks set finished_at = now(), version = version + 1 where ctid = (select min(ctid) from state.tasks)",
    );
    expect(await forget()).toEqual([await store.monthAt(-4)]);
    expect(await store.count("state.tasks")).toBe(3);
  });

  test("waits for no session at work in a month, and makes no session wait", async () => {
    await using busy = await store.connect();
    await busy.query("begin; select count(*) from state.events");
    expect(await forget()).toEqual([]);
    expect(await store.months()).toHaveLength(6);
    await busy.query("commit");
    expect(await forget()).toHaveLength(2);
  });

  test("drops a month once, however many Supervisors try", async () => {
    const month = await store.monthAt(-4);
    const dropping = { month, keep: kept };
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => store.supervisor.dropMonth(dropping)),
    );
    expect(tries.filter((isDropped) => isDropped).length).toBeLessThan(2);
    expect(await hasGone(dropping)).toBe(true);
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

  test("deletes old messages, acknowledged alerts and ended pauses", async () => {
    await store.submitIn(await store.monthAt(-3), 1, false);
    await store.db.query(`
      with at (at) as (values (now() - interval '32 days'), (now() - interval '30 days'))
      insert into state.rejected_replies (reason, reply, at) select 'x', '{}', at from at;
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
    expect(await store.supervisor.deleteOldRecords({ keep: kept, batch })).toBe(3);
    // Messages have a limit of their own.
    expect(await store.count("state.rejected_replies")).toBe(2);
    expect(await store.count("state.dead_letters")).toBe(2);
    expect(await store.supervisor.deleteOldMessages({ keep: kept, batch })).toBe(2);
    expect(await store.count("state.rejected_replies")).toBe(1);
    expect(await store.count("state.dead_letters")).toBe(1);
    expect(await store.db.query("select episode from state.alerts order by 1")).toEqual([
      { episode: 1 },
      { episode: 4 },
    ]);
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

const ahead = (since: number | null) => since !== null;
const jump = (interval: string) =>
  store.db.query(`update state.trusted_clock set at = at - interval '${interval}'`);
const later = (interval: string) =>
  store.db.query(
    `update state.trusted_clock set ahead_since = ahead_since - interval '${interval}'`,
  );
const alerts = async () =>
  (
    await store.db.query<{ alerts: number }>(
      "select count(*)::integer as alerts from state.alerts where kind = 'store.clock_jumped'",
    )
  )[0]?.alerts;

describe("a clock that jumps", () => {
  test("deletes nothing for a day, and alerts; then a month for each day", async () => {
    await store.beginAt(-4);
    await store.supervisor.makePartitions();
    for (const offset of [-4, -3]) await store.submitIn(await store.monthAt(offset), 2);
    await store.submission.submitTasks([newTask({ idempotency: { key: "1", hash: "1" } })], {
      actor: "test",
    });
    await store.db.query("update state.submissions set expires_at = now() - interval '1 hour'");
    // Four months ago by the clock of now, a moment ago by the one before.
    await jump("4 months");

    const before = await store.months();
    expect(ahead(await store.supervisor.lookAtClock())).toBe(true);
    expect(await forget()).toEqual([]);
    for (const month of before) {
      expect(await store.supervisor.dropMonth({ month, keep: kept })).toBe(false);
      expect(await store.supervisor.deleteFinishedTasks({ month, keep: kept, batch })).toBe(0);
    }
    expect(await store.supervisor.deleteExpiredKeys({ batch })).toBe(0);
    expect(await alerts()).toBe(1);
    await later("23 hours");
    expect(ahead(await store.supervisor.lookAtClock())).toBe(true);
    expect(await forget()).toEqual([]);
    expect(await store.months()).toEqual(before);
    expect(await alerts()).toBe(1);

    // Each day makes up for a month: none is old yet, then one more is at a time.
    const left: number[] = [];
    for (let days = 0; days < 4; days += 1) {
      await later("1 day");
      await store.supervisor.lookAtClock();
      await forget();
      left.push((await store.months()).length);
    }
    const steps = left.map((months, index) => (left[index - 1] ?? before.length) - months);
    expect(Math.max(...steps)).toBe(1);
    expect(await store.supervisor.lookAtClock()).toBeNull();
    expect(await store.supervisor.deleteExpiredKeys({ batch })).toBe(1);
  });

  test("and is corrected has deleted nothing, and is trusted at once", async () => {
    await jump("4 months");
    expect(ahead(await store.supervisor.lookAtClock())).toBe(true);
    await jump("-4 months");
    expect(await store.supervisor.lookAtClock()).toBeNull();
  });

  test("by years creates partitions for the new time, and not for the time in between", async () => {
    await store.beginAt(-20);
    const made = await store.supervisor.makePartitions();
    expect(made.length).toBe(15);
    expect(await store.months()).toEqual(
      expect.arrayContaining([await store.monthAt(0), await store.monthAt(1)]),
    );
    expect(await store.supervisor.makePartitions()).toEqual([]);
  });
});

const fill = (sender: string | null, replies: number) =>
  store.db.query(
    `insert into state.rejected_replies (reason, sender, reply)
     select 'stale', $1, to_json((select string_agg(md5(random()::text), '') from generate_series(1, 300) as n where n + reply > 0))
       from generate_series(1, $2) as reply`,
    [sender, replies],
  );
const keptReplies = async () =>
  store.db.query(
    "select sender, count(*)::integer as replies from state.rejected_replies group by 1 order by 1",
  );

describe("messages that changed nothing", () => {
  test("of a sender that sends too many are deleted, the oldest first, with one alert", async () => {
    await fill("noisy", 100);
    await fill("quiet", 5);
    const limit = { mostBytes: 200_000, batch: 1_000 };
    const [dropped, ...others] = await store.supervisor.deleteExcessMessages(limit);
    expect(others).toEqual([]);
    expect(dropped).toMatchObject({ sender: "noisy" });
    const left = 100 - (dropped?.messages ?? 0);
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThan(25);
    expect(await keptReplies()).toEqual([
      { sender: "noisy", replies: left },
      { sender: "quiet", replies: 5 },
    ]);
    const [oldest] = await store.db.query<{ id: string }>(
      "select min(id)::text as id from state.rejected_replies where sender = 'noisy'",
    );
    expect(Number(oldest?.id)).toBe(101 - left);
    await fill("noisy", 10);
    expect(await store.supervisor.deleteExcessMessages(limit)).toHaveLength(1);
    expect(
      await store.db.query("select kind, detail from state.alerts where kind = 'message.dropped'"),
    ).toEqual([
      { kind: "message.dropped", detail: expect.stringContaining("noisy has more than") },
    ]);
  });

  test("are deleted after their own retention, even if orders are kept for ever", async () => {
    await fill("a", 3);
    await store.db.query(
      "update state.rejected_replies set at = now() - interval '31 days' where id < 3",
    );
    expect(await store.supervisor.deleteOldMessages({ keep: 30 * day, batch })).toBe(2);
    expect(await keptReplies()).toEqual([{ sender: "a", replies: 1 }]);
  });
});
