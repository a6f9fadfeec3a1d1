import { testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import {
  connect,
  fill,
  firstMigration as first,
  rehearsal as folders,
  later,
  rehearsed,
  tasks,
} from "../../test/rehearsal.ts";
import { migrate } from "./migrate.ts";

test("a migration that is interrupted leaves what was committed, and is completed by the next run", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: first });
  await using client = await connect(database.url);
  await client.query(fill);
  const applied = async () =>
    (await client.query<{ name: string }>("select name from state.migrations order by name")).rows;
  for (const { name, phases } of later) {
    for (const phase of phases.keys()) {
      const before = await applied();
      const interrupted = migrate(database.url, {
        folders,
        upTo: name,
        beforeCommit: (of, at) => (of === name && at === phase ? "select 1 / 0;" : ""),
      });
      await expect(interrupted).rejects.toMatchObject({
        code: "store.migration_failed",
        message: expect.stringContaining(
          `migration ${name}, phase ${phase + 1} of ${phases.length} failed and was rolled back`,
        ),
      });
      expect(await applied()).toEqual(before);
    }
    expect(await migrate(database.url, { folders, upTo: name })).toEqual([name]);
  }
  expect(await migrate(database.url, { folders })).toEqual([]);
  const { rows } = await client.query(
    `select (select count(*)::integer from state.tasks) as tasks, (select count(*)::integer from state.task_payloads) as inputs,
            (select count(*)::integer from state.task_payloads where bytes is null) as not_filled,
            (select count(*)::integer from pg_index where not indisvalid) as broken_indexes,
            (select count(*)::integer from pg_constraint where conname = 'channel_is_named' and not convalidated) as unchecked`,
  );
  expect(rows).toEqual([{ tasks, inputs: tasks, not_filled: 0, broken_indexes: 0, unchecked: 0 }]);
});

test("the migration that names the fairness keys of due steps names those of steps that wait already", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: "0012_clock_set_back" });
  await using client = await connect(database.url);
  await client.query(
    `with task as (
       insert into state.tasks (task_id, workflow, fairness_key, fairness_weight)
       values (state.new_task_id(), 'test.v1', 'ann', 1)
       returning task_id)
     insert into state.steps (task_id, name, kind, lane, process_state, rank, not_before, admitted, start_within, complete_within)
     select task_id, name, 'call', 'agent', state, rank::timestamptz, not_before, true, 1, 1
       from task
      cross join (values ('a', 'pending', '3000-01-01 00:00:07+00', now()), ('b', 'waiting', null, null))
              as step (name, state, rank, not_before)`,
  );
  await migrate(database.url);
  const { rows } = await client.query("select name, fairness_key from state.steps order by name");
  expect(rows).toEqual([
    { name: "a", fairness_key: "ann" },
    { name: "b", fairness_key: null },
  ]);
});

test("a migration that is interrupted in the middle of its batches goes on with what is left", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { folders, upTo: "9004_check" });
  await using client = await connect(database.url);
  await client.query(fill);
  const left = async () =>
    Number(
      (await client.query("select count(*) from state.task_payloads where bytes is null")).rows[0]
        .count,
    );
  // The last row fails until it is corrected: all batches but its own are committed before.
  await client.query(
    `insert into state.task_payloads (task_id, input)
     select state.new_task_id(), '1' from generate_series(1, 8000);
     alter table state.task_payloads add constraint in_the_way check (bytes is null or bytes > 1)`,
  );
  const before = await left();
  await expect(migrate(database.url, { folders })).rejects.toMatchObject({
    code: "store.migration_failed",
    message: expect.stringContaining("migration 9005_backfill, phase 2 of 3"),
  });
  expect(await left()).toBe(before);
  await client.query(
    `update state.task_payloads set input = '12'
      where task_id in (select task_id from state.task_payloads order by task_id limit 6000)`,
  );
  await expect(migrate(database.url, { folders })).rejects.toThrow("9005_backfill, phase 2 of 3");
  expect(await left()).toBe(before - 5_000);
  await client.query("alter table state.task_payloads drop constraint in_the_way");
  expect((await migrate(database.url, { folders }))[0]).toBe("9005_backfill");
  expect(await left()).toBe(0);
});

test("a migration gives up when its lock timeout is over, names the blocking session, and has changed nothing", async () => {
  await using database = await testDatabase();
  await migrate(database.url);
  await using reader = await connect(`${database.url}?application_name=report`);
  await reader.query("begin; select from state.tasks");
  const waits: number[] = [];
  const migrating = migrate(database.url, {
    folders,
    timeout: 1_500,
    onWait: ({ attempt }) => waits.push(attempt),
  });
  await expect(migrating).rejects.toMatchObject({
    code: "store.contention",
    message: expect.stringMatching(
      /migration 9002_column_with_default.*report, idle in transaction.*state\.tasks/,
    ),
  });
  expect(waits.length).toBeGreaterThan(2);
  await reader.query("rollback");
  expect(await migrate(database.url, { folders })).toEqual(rehearsed);
});

test("migrations of further folders run among those of the release, and are not asked for without them", async () => {
  await using database = await testDatabase();
  expect(await migrate(database.url, { folders })).toEqual([
    first,
    ...later.map(({ name }) => name),
  ]);
  expect(await migrate(database.url)).toEqual([]);
});

test.each([
  ["an earlier checkout", ["0001_state", "0024_tasks_of_any_workflow"], "An earlier checkout"],
  ["another release", [first, "0009_other"], "Another release"],
])(
  "a store that %s made is refused in one sentence that says what to do",
  async (_, names, who) => {
    await using database = await testDatabase();
    await migrate(database.url);
    await using client = await connect(database.url);
    await client.query("delete from state.migrations");
    await client.query(
      "insert into state.migrations (name, run_on) select unnest($1::text[]), now()",
      [names],
    );
    await expect(migrate(database.url, { folders })).rejects.toMatchObject({
      code: "store.migration_failed",
      message: expect.stringMatching(
        new RegExp(`^${who}.*${names[1]}.*: use an empty database, or start a demo with --fresh$`),
      ),
    });
    const { rows } = await client.query("select to_regclass('state.agent_names') as made");
    expect(rows).toEqual([{ made: null }]);
  },
);
