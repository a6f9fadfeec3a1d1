import { noMetrics } from "@holdfast/runtime";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Client } from "pg";
import {
  claimAll,
  completed,
  failed,
  openTestStores,
  submitOne,
  type TestStore,
  testWorkflow,
} from "../../test/fixtures.ts";
import { findExpired } from "../expire/find-expired.ts";
import { openStateStore, storeContext } from "../open-state-store.ts";
import { openPool } from "../postgres/pool.ts";
import type { StateStore } from "../roles.ts";
import { scanWindow } from "./scan-window.ts";

/** Rows that are more than a look passes over without remark. */
const past = 6_000;

let db: TestStore;
let submission: StateStore;
let reader: Client;
beforeAll(async () => {
  const workflow = testWorkflow([{ name: "a" }, { name: "b" }]);
  ({ db, submission } = await openTestStores(workflow));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

/**
 * A reader holds a snapshot in which thousands of steps are due since an hour. All of them are
 * done.
 */
beforeEach(async () => {
  await db.query(`
    insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, admitted,
                             start_within, complete_within)
    select state.new_task_id(), 'a', 'call', 'agent', 'pending', now() - interval '1 hour' + n * interval '1 ms',
           now(), true, 1000, 1000
      from generate_series(1, ${past}) as n`);
  await db.query("vacuum analyze state.steps");
  reader = new Client({ connectionString: db.url });
  await reader.connect();
  await reader.query("begin isolation level repeatable read; select count(*) from state.steps");
  await db.query(`
    update state.steps
       set process_state = 'processing', attempt = 1, rank = null, not_before = null, locked_by = 'test',
           start_by = now() - interval '1 hour', complete_by = now() - interval '1 hour',
           resend_at = now() - interval '1 hour', token = gen_random_uuid()`);
  await db.query(`
    update state.steps
       set process_state = 'processed', locked_by = null, start_by = null, complete_by = null,
           resend_at = null, token = null`);
});
afterEach(async () => {
  await reader.end();
  await db.clear();
});

const applicationName = "looking";
const open = () => openStateStore({ url: db.url, applicationName, maxConnections: 1 });

/** How many entries of the index that reads. A connection tells that when it ends. */
async function countEntries(
  index: string,
  ask: (store: StateStore) => Promise<unknown>,
): Promise<number> {
  const count = async () => {
    const connections = "select from pg_stat_activity where application_name = $1";
    while ((await db.query(connections, [applicationName])).length > 0);
    const read = `select sum(idx_tup_read)::float8 as n
                    from pg_stat_user_indexes
                    join pg_inherits on inhrelid = indexrelid
                   where inhparent = $1::regclass`;
    return (await db.query<{ n: number }>(read, [`state.${index}`]))[0]!.n;
  };
  const before = await count();
  const store = await open();
  await ask(store);
  await store[Symbol.asyncDispose]();
  return (await count()) - before;
}

const submit = (changes = {}) => submitOne(submission, changes);

test("one search passes over the finished steps, and later claims over none of them", async () => {
  const entries = await countEntries("steps_due", async (store) => {
    await store.stageDueSteps();
    for (let count = 0; count < 20; count += 1) {
      await submit();
      expect(await claimAll(store)).toHaveLength(1);
    }
  });
  expect(entries).toBeGreaterThan(past - 1);
  expect(entries).toBeLessThan(past + 1_000);
});

test("one search passes over the steps that were in time, and the next scan over none of them", async () => {
  const entries = await countEntries("steps_expiring", async (store) => {
    const pool = openPool({ url: db.url, applicationName, maxConnections: 1 });
    const shared = { events: false, optimisations: {}, metrics: noMetrics };
    // Time stands still, so that no other look is due.
    const expiredWindow = scanWindow(() => 0);
    const scan = findExpired({ ...storeContext(pool, shared), expiredWindow });
    await scan({ batch: 200 });
    await submit();
    const [claim] = await claimAll(store);
    // By primary key: the owner's reads of the index would count, too.
    const expire = "update state.steps set complete_by = now() where task_id = $1 and name = $2";
    await db.query(expire, [claim!.taskId, claim!.name]);
    const { steps } = await scan({ batch: 200 });
    expect(steps).toMatchObject([{ taskId: claim!.taskId }]);
    await pool.end();
  });
  expect(entries).toBeGreaterThan(past - 1);
  expect(entries).toBeLessThan(past + 1_000);
});

test("urgent steps that others make due are claimed at once", async () => {
  await using store = await open();
  await store.stageDueSteps();
  await submit();
  const urgent = await submit({ priority: "urgent" });
  const capacity = [{ lane: "agent", slots: 1 }];
  const claims = await store.claimDueSteps({ lockedBy: "s", capacity, resendAfter: 300 });
  expect(claims.map(({ taskId }) => taskId)).toEqual([urgent]);
  await claimAll(store);
});

test("earlier steps that others make due are claimed after the next search, the most urgent first", async () => {
  await using store = await open();
  await store.stageDueSteps();
  const [low, high] = [await submit(), await submit({ priority: "urgent" })];
  const earlier =
    "update state.steps set rank = rank - interval '1 minute' where task_id = any($1)";
  await db.query(earlier, [[low, high]]);
  expect(await claimAll(store)).toEqual([]);
  while (!(await store.stageDueSteps()).hasDue);
  const now = await submit();
  const order: string[] = [];
  while (order.length < 3) {
    const capacity = [{ lane: "agent", slots: 1 }];
    const claims = await store.claimDueSteps({ lockedBy: "s", capacity, resendAfter: 300 });
    order.push(...claims.map(({ taskId }) => taskId));
  }
  expect(order).toEqual([high, low, now]);
});

test("earlier steps that this Scheduler makes due are claimed in the same transaction", async () => {
  await using store = await open();
  await submit();
  const apply = (
    event: Parameters<StateStore["applyEvents"]>[0][number]["event"],
    taskId: string,
  ) =>
    store.applyEvents([{ taskId, event }], {
      actor: "s",
      claim: { lockedBy: "s", capacity: [{ lane: "agent", slots: 10 }], resendAfter: 300 },
    });
  const [first] = await claimAll(store);
  const { claims: next } = await apply(completed(first!), first!.taskId);
  await store.stageDueSteps();
  const { claims: undo } = await apply(
    failed(next![0]!, { transient: false, effect: "none" }),
    first!.taskId,
  );
  expect(undo).toMatchObject([{ name: "a:undo" }]);
});
