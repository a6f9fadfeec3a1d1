import { testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { Client } from "pg";
import { claimAll, completed, testWorkflow } from "../../test/fixtures.ts";
import { rehearsal as folders } from "../../test/rehearsal.ts";
import { openStateStore } from "../open-state-store.ts";
import { migrate } from "./migrate.ts";

/** Tasks with two steps: the first processed, the second due; some of them from long ago. */
const rows = `
  insert into state.tasks (task_id, workflow, process_state)
  select case n % 2 when 0 then state.new_task_id()
              else overlay(state.new_task_id()::text placing '0188' from 1 for 4)::uuid end,
         'test.v1', 'processing'
    from generate_series(1, 40) as n;
  insert into state.task_payloads select task_id, '{"x": 1}' from state.tasks;
  insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, attempt, admitted,
                           start_within, complete_within)
  select task_id, name, 'call', 'agent', step.process_state, at, at, attempt, true, 30000, 5000
    from state.tasks
   cross join (values ('a', 'processed', null::timestamptz, 1), ('b', 'pending', now(), 0))
           as step (name, process_state, at, attempt);
  insert into state.step_payloads (task_id, name, output) select task_id, 'a', '{"y": 2}' from state.tasks;
  insert into state.events (task_id, step, action, from_state, to_state, attempt, actor)
  select task_id, step, action, from_state, to_state, attempt, 'x'
    from state.tasks
   cross join (values (null, 'submit', null, 'pending', null),
                      ('a', 'claim', 'pending', 'processing', 1),
                      (null, 'summarise', 'pending', 'processing', null),
                      ('a', 'complete', 'processing', 'processed', 1),
                      ('b', 'plan', 'waiting', 'pending', 0))
           as event (step, action, from_state, to_state, attempt);
  grant select on state.events to pg_monitor`;

const tables = ["tasks", "steps", "task_payloads", "step_payloads", "events"].map(
  (name) => `state.${name}`,
);

test.each([
  ["as it is", ""],
  [
    "of a server whose clock was ahead for a while",
    "update state.%t set task_id = overlay(task_id::text placing left(state.first_id_of((state.month_of(now() + interval '2 years') + 14)::timestamptz)::text, 13) from 1 for 13)::uuid where task_id > '01890000-0000-0000-0000-000000000000'",
  ],
])("a store of an earlier release, %s, is upgraded with nothing lost", async (_, change) => {
  await using database = await testDatabase();
  const client = new Client({ connectionString: database.url });
  client.on("error", () => {});
  await client.connect();
  await migrate(database.url);
  await client.query(rows);
  if (change !== "") {
    await client.query("select state.make_partition(state.month_of(now() + interval '2 years'))");
    await client.query("set session_replication_role = replica");
    for (const table of ["tasks", "steps", "task_payloads", "step_payloads", "events"]) {
      await client.query(change.replace("%t", table));
    }
    await client.query("reset session_replication_role");
  }
  const contents = async (of: readonly string[]) => {
    const found: Record<string, readonly object[]> = {};
    for (const table of of) {
      found[table] = (
        await client.query(`select one.* from ${table} as one order by one::text`)
      ).rows;
    }
    return found;
  };
  const before = await contents(tables);
  // A service at work goes on: only one that starts asks whether it can work with the schema.
  await using store = await openStateStore({
    url: database.url,
    applicationName: "test",
    maxConnections: 2,
  });
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));

  expect(await migrate(database.url, { folders })).toEqual([
    "9002_column_with_default",
    "9003_index_of_each_month",
    "9004_check",
    "9005_backfill",
    "9006_trigger",
    "9007_table_becomes_view",
    "9008_contract",
  ]);
  const grown = (table: string, columns: object) =>
    (before[table] ?? []).map((row) => ({ ...row, ...columns }));
  expect(await contents(tables)).toEqual({
    ...before,
    "state.tasks": grown("state.tasks", { channel: "unknown" }),
    "state.task_payloads": grown("state.task_payloads", { bytes: '{"x": 1}'.length }),
  });
  const unindexed = `
    select inhrelid::regclass::text as part from pg_inherits
     where inhparent = 'state.steps'::regclass
       and not exists (select from pg_index where indrelid = inhrelid and indisvalid
                          and pg_get_indexdef(indexrelid) like '%(name, task_id)')`;
  expect((await client.query(unindexed)).rows).toEqual([]);

  const claims = await claimAll(store);
  expect(claims).toHaveLength(40);
  await store.applyEvents(
    claims.map((claim) => ({ taskId: claim.taskId, event: completed(claim), output: {} })),
    { actor: "test" },
  );
  expect(await store.countTasks()).toEqual({ processed: 40 });
  expect(await store.findInvariantViolations({ batch: 10 })).toEqual([]);
  const allowed =
    "select has_table_privilege('pg_monitor', 'state.events', 'select') as is_allowed";
  expect((await client.query(allowed)).rows).toEqual([{ is_allowed: true }]);
  await client.end();
});
