import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { makeEnqueued } from "../../test/application.ts";
import { newTask } from "../../test/fixtures.ts";
import { dropOldMonths, kept, type MonthsStore, openMonthsStore } from "../../test/months.ts";

const batch = 200;

let store: MonthsStore;
beforeEach(async () => {
  store = await openMonthsStore();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
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
    expect(ahead(await store.supervisor.readClock())).toBe(true);
    expect(await dropOldMonths(store)).toEqual([]);
    for (const month of before) {
      expect(await store.supervisor.dropMonth({ month, keep: kept })).toBe(false);
      expect(await store.supervisor.deleteFinishedTasks({ month, keep: kept, batch })).toBe(0);
    }
    expect(await store.supervisor.deleteExpiredKeys({ batch })).toBe(0);
    expect(await alerts()).toBe(1);
    await later("23 hours");
    expect(ahead(await store.supervisor.readClock())).toBe(true);
    expect(await dropOldMonths(store)).toEqual([]);
    expect(await store.months()).toEqual(before);
    expect(await alerts()).toBe(1);

    // Each day makes up for a month: none is old yet, then one more is at a time.
    const left: number[] = [];
    for (let days = 0; days < 4; days += 1) {
      await later("1 day");
      await store.supervisor.readClock();
      await dropOldMonths(store);
      left.push((await store.months()).length);
    }
    const steps = left.map((months, index) => (left[index - 1] ?? before.length) - months);
    expect(Math.max(...steps)).toBe(1);
    expect(await store.supervisor.readClock()).toBeNull();
    expect(await store.supervisor.deleteExpiredKeys({ batch })).toBe(1);
  });

  test("frees no idempotency key, neither for the service nor for an application's transaction", async () => {
    const key = { key: "order-4711", hash: "h" };
    const submit = () =>
      store.submission.submitTasks([newTask({ idempotency: key })], { actor: "test" });
    const submitBySql = async () =>
      (
        await store.db.query<{ task_id: string }>(
          `select task_id::text from state.submit_task('test.v1', '{"x": 1}', 'order-4712')`,
        )
      )[0]!.task_id;
    const [first] = await submit();
    const bySql = await submitBySql();
    await makeEnqueued(store.db, store.submission);
    // 36 hours ago by the clock of now, a moment ago by the one before.
    await store.db.query(
      "update state.submissions set expires_at = expires_at - interval '36 hours'",
    );
    await jump("36 hours");
    expect(ahead(await store.supervisor.readClock())).toBe(true);

    expect(await submit()).toEqual([{ ...first, kind: "replayed" }]);
    expect(await submitBySql()).toBe(bySql);
    expect(await store.count("state.tasks")).toBe(2);
    // Once the clock is trusted, the keys have expired.
    await store.db.query("update state.trusted_clock set at = clock_timestamp()");
    expect(await submit()).toMatchObject([{ kind: "created" }]);
    expect(await submitBySql()).not.toBe(bySql);
  });

  test("forgets no message that waits for the broker, and no process", async () => {
    const beat = { agent: "a", capacity: 1, inFlight: 0, breaker: "closed", openForMs: 0 } as const;
    const stalledConsumer = { queue: "q", messages: 1, failures: 1, forMs: 1, error: "x" };
    const process = { service: "scheduler", version: "1.2.3", slots: 1 } as const;
    /** Every one of these forgets those that have been silent for a day. */
    const report = async (instance: string) => {
      await store.scheduler.recordHeartbeats([{ ...beat, instance }]);
      await store.scheduler.recordStalledConsumers({
        instance,
        stalledConsumers: [stalledConsumer],
      });
      await store.scheduler.recordInstance({ ...process, instance });
    };
    const reporting = ["agents", "stalled_consumers", "instances"];
    const known = () => Promise.all(reporting.map((table) => store.count(`state.${table}`)));
    await report("1");
    for (const table of reporting) {
      await store.db.query(`update state.${table} set seen_at = now() - interval '36 hours'`);
    }
    await store.db.query(
      `insert into state.outbox (subject, channel, seq, address, body, at)
       values ('a', 'status', 1, 'status.x', '{"kind": "x"}', now() - interval '36 hours')`,
    );
    await jump("36 hours");
    expect(ahead(await store.supervisor.readClock())).toBe(true);

    await report("2");
    expect(await known()).toEqual([2, 2, 2]);
    expect(await store.scheduler.deleteStaleNotifications()).toBe(0);
    await store.db.query("update state.trusted_clock set at = clock_timestamp()");
    await report("2");
    expect(await known()).toEqual([1, 1, 1]);
    expect(await store.scheduler.deleteStaleNotifications()).toBe(1);
  });

  test("and is corrected has deleted nothing, and is trusted at once", async () => {
    await jump("4 months");
    expect(ahead(await store.supervisor.readClock())).toBe(true);
    await jump("-4 months");
    expect(await store.supervisor.readClock()).toBeNull();
  });

  test("and was set back when a key was taken keeps it for as long, and alerts once", async () => {
    const expiry = async () => {
      const [row] = await store.db.query<{ hours: number }>(
        `select (extract(epoch from expires_at - clock_timestamp()) / 3600)::float8 as hours
           from state.submissions where idempotency_key = 'early'`,
      );
      return row!.hours;
    };
    // 40 days behind the last look.
    await jump("-40 days");
    expect(await store.supervisor.readClock()).toBeNull();
    expect(await store.supervisor.readClock()).toBeNull();
    expect(await alerts()).toBe(1);
    await store.submission.submitTasks([newTask({ idempotency: { key: "early", hash: "1" } })], {
      actor: "test",
    });
    expect(await expiry()).toBeGreaterThan(41 * 24 - 1);
    // It stays so for a day: then that is the time.
    await store.db.query(
      "update state.trusted_clock set behind_since = behind_since - interval '1 day'",
    );
    expect(await store.supervisor.readClock()).toBeNull();
    const clock =
      "select at <= clock_timestamp() as is_trusted, behind_since from state.trusted_clock";
    expect(await store.db.query(clock)).toEqual([{ is_trusted: true, behind_since: null }]);
  });

  test("and was set back for a moment forgets nothing that was reached", async () => {
    await jump("-3 hours");
    expect(await store.supervisor.readClock()).toBeNull();
    await jump("3 hours");
    expect(await store.supervisor.readClock()).toBeNull();
    expect(await store.db.query("select behind_since from state.trusted_clock")).toEqual([
      { behind_since: null },
    ]);
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
