import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openTestStores, type TestStore, testWorkflow } from "../../test/fixtures.ts";
import type { StateStore } from "../roles.ts";

let db: TestStore;
let supervisor: StateStore;
let operations: StateStore;
beforeAll(async () => {
  ({ db, supervisor, operations } = await openTestStores(testWorkflow([{ name: "a" }])));
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
});

const deleteAll = async () => {
  let all = 0;
  for (;;) {
    const deleted = await supervisor.deleteOldStatistics({ batch: 10 });
    all += deleted;
    if (deleted === 0) return all;
  }
};

test("counts are deleted when they are past their time, of every subject", async () => {
  await db.query(
    `insert into state.statistics (resolution, subject, at, submitted)
     select resolution, subject, now() - interval '1 hour' - kept * age, 1
       from (values ('minute', interval '3 days'), ('hour', interval '400 days'), ('day', interval '3660 days'))
              as known (resolution, kept)
      cross join unnest(array['', 'agent:a', 'workflow:a.v1', 'workflow:b.v1']) as subject
      cross join generate_series(0.5, 7, 0.5) as age`,
  );
  await deleteAll();
  const left = await db.query(
    "select resolution, subject, count(*)::int as kept from state.statistics group by 1, 2 order by 1, 2",
  );
  expect(left).toHaveLength(12);
  expect(left).toEqual(left.map((row) => ({ ...row, kept: 1 })));
});

test("failures of months that are dropped are deleted, and groups of which nothing is left", async () => {
  await db.query(
    `insert into state.failures (task_id, step, fingerprint, halted, at)
     select overlay(gen_random_uuid()::text placing '0100' from 1 for 4)::uuid, 'a', 'gone', false, now() - interval '9 years'
       from generate_series(1, 25);
     insert into state.failures (task_id, step, fingerprint, halted, at) values (state.new_task_id(), 'a', 'kept', false, now());
     insert into state.failure_groups (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at)
     values ('gone', 'a.v1', 'a', 'x.y', '', 25, now() - interval '9 years', now() - interval '9 years'),
            ('new', 'a.v1', 'a', 'x.y', '', 25, now(), now()),
            ('kept', 'a.v1', 'a', 'x.y', '', 1, now() - interval '9 years', now() - interval '9 years')`,
  );
  await deleteAll();
  const names = async (table: string) =>
    (
      await db.query<{ fingerprint: string }>(
        `select distinct fingerprint from state.${table} order by 1`,
      )
    ).map(({ fingerprint }) => fingerprint);
  expect(await names("failures")).toEqual(["kept"]);
  expect(await names("failure_groups")).toEqual(["kept", "new"]);
});

test("beyond ten thousand groups those that happened longest ago are deleted", async () => {
  await db.query(
    `truncate state.failure_groups, state.failures;
     insert into state.failure_groups (fingerprint, workflow, step, fault_code, message, failures, first_at, last_at)
     select number, 'a.v1', 'a', 'x.y', '', 1, now(), now() - interval '1 second' * number
       from generate_series(1, 10030) as number`,
  );
  await deleteAll();
  const [found] = await db.query(
    "select count(*)::int as groups, max(fingerprint::int) as last from state.failure_groups",
  );
  expect(found).toEqual({ groups: 10_001, last: 10_001 });
});

test("of many open tasks the counts of the roll-up are shown", async () => {
  await db.query(
    `set session_replication_role = replica;
     insert into state.tasks (task_id, workflow, process_state) select state.new_task_id(), 'test.v1', 'pending' from generate_series(1, 20001);
     reset session_replication_role;
     update state.statistics_progress set pending = 123456, halted = 7`,
  );
  const { states } = await operations.findOverview();
  expect(states).toEqual({ pending: 123_456, processing: 0, undoing: 0, halted: 7 });
});

test("a process that announces itself lives for a while, and is forgotten after a day", async () => {
  const me = {
    service: "scheduler",
    instance: "scheduler-1",
    version: "1.2.3",
    slots: 50,
  } as const;
  await supervisor.recordInstance(me);
  await supervisor.recordInstance({ ...me, instance: "scheduler-2" });
  await supervisor.recordInstance({ ...me, instance: "scheduler-3" });
  await db.query(
    `update state.instances set seen_at = now() - case instance when 'scheduler-2' then interval '1 minute' else interval '25 hours' end
      where instance <> 'scheduler-1'`,
  );
  await supervisor.recordInstance(me);
  expect(await operations.findInstances()).toMatchObject([
    { ...me, living: true },
    { instance: "scheduler-2", living: false },
  ]);
});
