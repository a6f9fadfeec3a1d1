import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { type ClaimedStep, claimSteps } from "./claimed-steps.ts";
import { dueSpans } from "./due-spans.ts";
import { type IdRange, idsBetween, monthsOf } from "./id-ranges.ts";
import type { StateStore } from "./open-state-store.ts";
import {
  claimAll,
  completed,
  failed,
  newTask,
  openTestStore,
  type TestStore,
  testWorkflow,
} from "./testing.ts";

const day = 24 * 3_600_000;
const kept = 31 * day;
const batch = 200;
const partitioned = [
  "state.tasks",
  "state.steps",
  "state.task_payloads",
  "state.step_payloads",
  "state.events",
  "orders.orders",
  "orders.order_lines",
];
const order = {
  customer: "Ada",
  currency: "EUR",
  total: 100,
  lines: [{ sku: "book", quantity: 1, unitPrice: 100 }],
};

let db: TestStore;
let supervisor: StateStore;
let submission: StateStore;
let scheduler: StateStore;
beforeEach(async () => {
  db = await openTestStore();
  supervisor = await db.open("supervisor");
  submission = await db.open("submission");
  scheduler = await db.open("scheduler");
  await submission.registerWorkflow(testWorkflow([{ name: "a" }]));
});
afterEach(async () => {
  await db[Symbol.asyncDispose]();
});

const months = async (): Promise<readonly string[]> =>
  (
    await db.query<{ month: string }>(
      "select month::text from state.partitions order by partitions.month",
    )
  ).map(({ month }) => month);

/** The first day of the month that is so many away, by the store's clock. */
const monthAt = async (offset: number): Promise<string> =>
  (
    await db.query<{ month: string }>(
      "select (state.month_of(clock_timestamp()) + $1::integer * interval '1 month')::date::text as month",
      [offset],
    )
  )[0]!.month;

/** As if it had been migrated so many months ago, and nobody had made partitions since. */
async function beginAt(offset: number): Promise<void> {
  for (const month of await months()) await dropByHand(month);
  await db.query("select state.make_partition($1)", [await monthAt(offset)]);
}

const dropByHand = (month: string) =>
  db.query(
    `do $$ declare parent text; begin
       foreach parent in array state.partitioned_tables() loop
         execute 'drop table ' || state.partition_of(parent, '${month}');
       end loop; end $$`,
  );

/** Submits orders, and does their step unless they are to stay; then moves them to another month. */
async function submitIn(
  month: string,
  tasks: number,
  isProcessed = true,
  workflow = "test.v1",
): Promise<void> {
  await submission.submitTasks(
    Array.from({ length: tasks }, () => newTask({ order, workflow })),
    { actor: "test" },
  );
  if (isProcessed) {
    const claims = await claimAll(scheduler);
    const incidents = claims.map(({ taskId, ...claim }) => ({
      taskId,
      event: completed({ taskId, ...claim }),
      output: {},
    }));
    await scheduler.applyIncidents(incidents, { actor: "test" });
  }
  const [{ instant, since }] = (await db.query<{ instant: string; since: string }>(
    `select ($1::timestamp at time zone 'UTC' + interval '14 days')::text as instant,
            state.first_id_of(state.month_of(clock_timestamp()))::text as since`,
    [month],
  )) as [{ instant: string; since: string }];
  await db.query(
    `begin; set local session_replication_role = replica;
     update state.tasks set created_at = '${instant}', updated_at = '${instant}' where task_id >= '${since}';
     update state.tasks set finished_at = '${instant}'
      where finished_at is not null and task_id >= '${since}';
     ${partitioned.map((table) => moved(table, instant, since)).join("")}
     commit`,
  );
}

async function connect() {
  const client = new Client({ connectionString: db.url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** An id is a time and a random rest. */
function moved(table: string, instant: string, since: string): string {
  const key = table.startsWith("orders.") ? "order_id" : "task_id";
  return `update ${table}
             set ${key} = overlay(${key}::text placing left(state.first_id_of('${instant}'::timestamptz)::text, 13)
                                  from 1 for 13)::uuid
           where ${key} >= '${since}';`;
}

const count = async (table: string): Promise<number> =>
  (await db.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`))[0]!.rows;

const countAll = async (): Promise<readonly number[]> => Promise.all(partitioned.map(count));

/** What a Supervisor does about the past, once; whether the month before last is old depends on the day. */
async function forget(): Promise<readonly string[]> {
  const dropped: string[] = [];
  const undecided = await monthAt(-2);
  for (const old of await supervisor.findOldMonths({ keep: kept })) {
    if (old.month === undecided) continue;
    if (old.hasRecent && !old.hasUnfinished) continue;
    const { month, hasUnfinished } = old;
    const keeping = { month, keep: kept, batch: 3 };
    if (hasUnfinished) while ((await supervisor.deleteFinishedTasks(keeping)) === 3);
    else if (await hasGone(keeping)) dropped.push(month);
  }
  return dropped;
}

/** Where there may be something to do, says the store. */
const busyIds = async (): Promise<IdRange> => {
  const [{ firstId, endId }] = (await db.query<{ firstId: string; endId: string }>(
    `select first_id::text as "firstId", end_id::text as "endId" from state.busy_months`,
  )) as [{ firstId: string; endId: string }];
  return idsBetween(firstId, endId);
};
const idsOf = async (offset: number): Promise<IdRange> =>
  monthsOf(
    (
      await db.query<{ id: string }>("select state.first_id_of($1::date)::text as id", [
        await monthAt(offset),
      ])
    ).map(({ id }) => id),
  );
async function claimIn(range: IdRange): Promise<readonly ClaimedStep[]> {
  await using client = await connect();
  return await claimSteps({ due: dueSpans(), busy: { range: () => range } })(client, {
    lockedBy: "scheduler-1",
    room: [{ lane: "agent", places: 10 }],
    relayAfter: 300,
  });
}

/** Whether the month was dropped: by the answer alone nobody knows, for it may be lost. */
async function hasGone(dropping: { readonly month: string; readonly keep: number }) {
  for (let tries = 0; tries < 5; tries += 1) {
    // False as well while the server itself is at work in it.
    await supervisor.dropMonth(dropping);
    if (!(await months()).includes(dropping.month)) return true;
  }
  return false;
}

const asSupervisor = async (sql: string): Promise<void> => {
  await db.query("set role holdfast_supervisor");
  try {
    await db.query(sql);
  } finally {
    await db.query("reset role");
  }
};

describe("room for what is to come", () => {
  test("begins and ends where whoever looks for a task thinks it does", async () => {
    await beginAt(-13);
    await supervisor.makePartitions();
    const found = await db.query<{ firstId: string; endId: string; taskId: string }>(
      `select state.first_id_of(month)::text as "firstId", end_id::text as "endId",
              state.first_id_of(month + interval '10 days')::text as "taskId"
         from state.partitions`,
    );
    expect(found).toHaveLength(15);
    for (const { firstId, endId, taskId } of found) {
      expect(monthsOf([taskId])).toEqual(idsBetween(firstId, endId));
      expect(monthsOf([firstId]).lastId).toEqual(idsBetween(firstId, endId).lastId);
    }
  });

  test("is there from the start, for this month and the next", async () => {
    expect(await months()).toEqual([await monthAt(0), await monthAt(1)]);
    expect(await supervisor.makePartitions()).toEqual([]);
  });

  test("is made for all months that are missing, by one of those who try", async () => {
    await beginAt(-3);
    const missing = await Promise.all([-2, -1, 0, 1].map(monthAt));
    const made = await Promise.all(Array.from({ length: 4 }, () => supervisor.makePartitions()));
    expect(made.flat()).toEqual(missing);
    expect(await months()).toEqual([await monthAt(-3), ...missing]);
  });

  test("is made beside what is there already, which stays as it is", async () => {
    await submission.submitTasks([newTask({ order })], { actor: "test" });
    const month = await monthAt(0);
    await db.query("select state.make_partition($1)", [month]);
    await expect(db.query("select state.seem_full($1)", [month])).rejects.toThrow(
      "has tasks already",
    );
    expect(await countAll()).toEqual([1, 1, 1, 0, 1, 1, 1]);
  });

  test("keeps the rules and the guards of all months", async () => {
    const walls = await db.query(
      `select right(relname, 7) as month, inhparent::regclass::text as table,
              (select conname from pg_constraint where conrelid = inhrelid and contype = 'c') as rule,
              (select count(*)::integer from pg_trigger where tgrelid = inhrelid) as guards
         from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent in ('state.tasks'::regclass, 'state.steps'::regclass)`,
    );
    expect(walls).toHaveLength(4);
    for (const wall of walls) expect(wall).toMatchObject({ rule: "sound", guards: 1 });
  });

  test("is made by an order that does not find it", async () => {
    await beginAt(-3);
    const [submitted] = await submission.submitTasks([newTask({ order })], { actor: "test" });
    expect(submitted).toMatchObject({ kind: "created" });
    expect((await months()).at(-1)).toBe(await monthAt(1));
    expect(await countAll()).toEqual([1, 1, 1, 0, 1, 1, 1]);
  });

  test("holds up nobody who is at work", async () => {
    await beginAt(-1);
    const busy = new Client({ connectionString: db.url });
    await busy.connect();
    await busy.query(`begin; insert into state.events (task_id, action, to_state, actor)
                      values (state.first_id_of('${await monthAt(-1)}'::date), 'x', 'x', 'x')`);
    expect(await supervisor.makePartitions()).toHaveLength(2);
    await busy.end();
  });
});

describe("a month that is over", () => {
  beforeEach(async () => {
    await beginAt(-4);
    await supervisor.makePartitions();
  });

  test("is searched as long as a step of it is due, resting or in flight", async () => {
    const { firstId } = await idsOf(-2);
    await submitIn(await monthAt(-2), 1);
    expect(await busyIds()).toMatchObject({ firstId: (await idsOf(0)).firstId });
    await submitIn(await monthAt(-2), 1, false);
    expect(await busyIds()).toMatchObject({ firstId });
    expect(await claimIn(await idsOf(0))).toEqual([]);
    const [claim] = await claimIn(await busyIds());
    expect(claim).toBeDefined();
    expect(await busyIds()).toMatchObject({ firstId });
    await scheduler.applyIncidents([{ taskId: claim!.taskId, event: failed(claim!) }], {
      actor: "test",
    });
    expect(
      await db.query("select 1 from state.steps where rank is null and process_state = 'pending'"),
    ).toHaveLength(1);
    expect(await busyIds()).toMatchObject({ firstId });
  });

  test.each([
    ["the month before", [-1, 0]],
    ["months long ago", [-4, -3, 0]],
  ])("is decided about together with this one: tasks of %s", async (_, offsets) => {
    for (const offset of offsets) await submitIn(await monthAt(offset), 2, false);
    const claims = await claimIn(await busyIds());
    expect(claims).toHaveLength(2 * offsets.length);
    await scheduler.markDispatchedSteps(claims);
    const incidents = claims.map((claim) => ({
      taskId: claim.taskId,
      event: completed(claim),
      output: {},
    }));
    const { outcomes } = await scheduler.applyIncidents(incidents, { actor: "test" });
    expect(outcomes.every(({ applied }) => applied)).toBe(true);
    expect(await scheduler.countTasks()).toEqual({ processed: claims.length });
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("is not searched for what waits for a person", async () => {
    await submission.registerWorkflow(
      testWorkflow([{ name: "a", onFailure: "halt" }], "halting.v1"),
    );
    await submitIn(await monthAt(-2), 1, false, "halting.v1");
    const [claim] = await claimIn(await busyIds());
    const event = failed(claim!, { transient: false, code: "x" });
    await scheduler.applyIncidents([{ taskId: claim!.taskId, event }], { actor: "test" });
    expect(await scheduler.countTasks()).toEqual({ error: 1 });
    expect(await busyIds()).toEqual(await idsOf(0));
  });

  test("is one of all, where this month has no partition", async () => {
    for (const offset of [0, 1]) await dropByHand(await monthAt(offset));
    expect(await db.query("select 1 from state.busy_months where first_id is not null")).toEqual(
      [],
    );
  });
});

describe("retention", () => {
  beforeEach(async () => {
    await beginAt(-4);
    await supervisor.makePartitions();
  });

  test("drops months that are over, with all that belongs to them", async () => {
    await submitIn(await monthAt(-4), 7);
    await submitIn(await monthAt(-3), 1);
    await submitIn(await monthAt(0), 2);
    expect(await countAll()).toEqual([10, 10, 10, 10, 50, 10, 10]);
    expect(await forget()).toEqual(await Promise.all([-4, -3].map(monthAt)));
    expect(await months()).toEqual(await Promise.all([-2, -1, 0, 1].map(monthAt)));
    expect(await countAll()).toEqual([2, 2, 2, 2, 10, 2, 2]);
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("keeps a month with an unfinished task, and deletes what has finished", async () => {
    await submitIn(await monthAt(-4), 7);
    await submitIn(await monthAt(-4), 1, false);
    expect(await forget()).toEqual([await monthAt(-3)]);
    expect(await countAll()).toEqual([1, 1, 1, 0, 1, 1, 1]);
    const other = await db.open("scheduler");
    const [claim] = await claimAll(other);
    await other.applyIncidents([{ taskId: claim!.taskId, event: completed(claim!), output: {} }], {
      actor: "test",
    });
    expect(await forget()).toEqual([]);
    expect(await countAll()).toEqual([1, 1, 1, 1, 5, 1, 1]);
    expect(await submission.findInvariantViolations({ batch: 10 })).toEqual([]);
  });

  test("waits for the last task of a month, and deletes none before", async () => {
    await submitIn(await monthAt(-3), 3);
    await db.query(
      "update state.tasks set finished_at = now(), version = version + 1 where ctid = (select min(ctid) from state.tasks)",
    );
    expect(await forget()).toEqual([await monthAt(-4)]);
    expect(await count("state.tasks")).toBe(3);
  });

  test("waits for nobody who is at work in a month, and has nobody wait", async () => {
    const busy = new Client({ connectionString: db.url });
    await busy.connect();
    await busy.query("begin; select count(*) from state.events");
    expect(await forget()).toEqual([]);
    expect(await months()).toHaveLength(6);
    await busy.query("commit");
    expect(await forget()).toHaveLength(2);
    await busy.end();
  });

  test("drops a month once, however many try", async () => {
    const month = await monthAt(-4);
    const dropping = { month, keep: kept };
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => supervisor.dropMonth(dropping)),
    );
    expect(tries.filter((isDropped) => isDropped).length).toBeLessThan(2);
    expect(await hasGone(dropping)).toBe(true);
    expect(await supervisor.dropMonth(dropping)).toBe(false);
  });

  test("deletes nothing that ended less than a day ago, whatever it is told", async () => {
    await submitIn(await monthAt(-4), 1);
    await db.query(
      "update state.tasks set finished_at = now() - interval '23 hours', version = version + 1",
    );
    const month = await monthAt(-4);
    expect(await supervisor.deleteFinishedTasks({ month, keep: 0, batch })).toBe(0);
    expect(await supervisor.dropMonth({ month, keep: 0 })).toBe(false);
    expect(await supervisor.dropMonth({ month: await monthAt(0), keep: 0 })).toBe(false);
  });

  test("is for the Supervisor alone, which owns nothing", async () => {
    const month = await monthAt(-4);
    await expect(scheduler.dropMonth({ month, keep: kept })).rejects.toMatchObject({
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

  test("deletes old messages, alerts that somebody had and pauses that are over", async () => {
    await submitIn(await monthAt(-3), 1, false);
    await db.query(`
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
    expect(await supervisor.deleteOldRecords({ keep: kept, batch })).toBe(5);
    expect(await count("state.rejected_replies")).toBe(1);
    expect(await count("state.dead_letters")).toBe(1);
    expect(await db.query("select episode from state.alerts order by 1")).toEqual([
      { episode: 1 },
      { episode: 4 },
    ]);
    expect(await db.query("select name from state.pauses order by 1")).toEqual([
      { name: "lately" },
      { name: "on" },
    ]);
  });
});

test("idempotency keys go when they have expired", async () => {
  const submitted = ["1", "2", "3"].map((key) => newTask({ idempotency: { key, hash: key } }));
  await submission.submitTasks(submitted, { actor: "test" });
  await db.query("update state.submissions set expires_at = now() where idempotency_key < '3'");
  expect(await supervisor.deleteExpiredKeys({ batch: 1 })).toBe(1);
  expect(await supervisor.deleteExpiredKeys({ batch })).toBe(1);
  expect(await db.query("select idempotency_key as key from state.submissions")).toEqual([
    { key: "3" },
  ]);
});
