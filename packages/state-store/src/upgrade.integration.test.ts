import { testDatabase } from "@holdfast/local-stack";
import { expect, test } from "@jest/globals";
import { Client } from "pg";
import { migrate } from "./migrate.ts";
import { openStateStore } from "./open-state-store.ts";
import { claimAll, completed, testWorkflow } from "./testing.ts";

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
  insert into orders.orders (order_id, customer, currency, total)
  select task_id, 'Ada', 'EUR', 1 from state.tasks;
  insert into orders.order_lines (order_id, line, sku, quantity, unit_price)
  select task_id, 1, 'book', 1, 1 from state.tasks;
  grant select on state.events to pg_monitor`;

const tables = [
  ...["tasks", "steps", "task_payloads", "step_payloads", "events"].map((name) => `state.${name}`),
  "orders.orders",
  "orders.order_lines",
];

test.each([
  ["as it is", ""],
  [
    "of a server whose clock was ahead for a while",
    "update state.%t set task_id = overlay(task_id::text placing '01b1' from 1 for 4)::uuid where task_id > '01890000-0000-0000-0000-000000000000'",
  ],
])("a store of an earlier release, %s, is upgraded with nothing lost", async (_, change) => {
  await using database = await testDatabase();
  const client = new Client({ connectionString: database.url });
  client.on("error", () => {});
  await client.connect();
  // A store as the releases before partitions left it.
  await migrate(database.url, { upTo: "0007_verify" });
  await client.query(rows);
  if (change !== "") {
    for (const table of ["tasks", "steps", "task_payloads", "step_payloads", "events"]) {
      await client.query(change.replace("%t", table));
    }
  }
  const contents = async () => {
    const found: Record<string, readonly object[]> = {};
    for (const table of tables) {
      found[table] = (
        await client.query(`select one.* from ${table} as one order by one::text`)
      ).rows;
    }
    return found;
  };
  const before = await contents();
  expect(await migrate(database.url)).toEqual([
    "0008_partitions",
    "0009_one_check",
    "0010_fewer_index_entries",
    "0011_vacuum_keys",
    "0012_tasks_by_month",
    "0013_kept_messages",
    "0014_relayed_steps",
    "0015_delayed_steps",
    "0017_less_rights",
    "0020_known_months",
    "0021_outbox_by_destination",
    "0022_trusted_clock",
    "0023_unusable_workflows",
  ]);
  const steps = before["state.steps"] ?? [];
  const withNewColumns = {
    ...before,
    "state.steps": steps.map((step) => ({ ...step, relayed: false })),
  };
  expect(await contents()).toEqual(withNewColumns);

  await using store = await openStateStore({
    url: database.url,
    applicationName: "test",
    maxConnections: 2,
  });
  await store.registerWorkflow(testWorkflow([{ name: "a" }, { name: "b" }]));
  const claims = await claimAll(store);
  expect(claims).toHaveLength(40);
  await store.applyIncidents(
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
