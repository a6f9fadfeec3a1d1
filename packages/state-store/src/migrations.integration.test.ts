import { testDatabase } from "@holdfast/local-stack";
import { expect, test } from "@jest/globals";
import { Client } from "pg";
import { migrate } from "./migrate.ts";
import { readMigrations, statementsOf } from "./migration-files.ts";

/** Of the first release with a store; what came before it never met one that was at work. */
const first = "0007_verify";
const tasks = 2_000;

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const later = readMigrations().filter(({ name }) => name > first);

const fill = `
  insert into state.tasks (task_id, workflow, process_state, finished_at)
  select state.new_task_id(), 'test.v1', 'processed', now() from generate_series(1, ${tasks});
  insert into state.task_payloads select task_id, '{"x": 1}' from state.tasks;
  insert into state.steps (task_id, name, kind, lane, process_state, attempt, admitted, start_within,
                           complete_within)
  select task_id, name, 'call', 'agent', 'processed', 1, true, 30000, 5000
    from state.tasks cross join unnest(array['a', 'b']) as name;
  insert into state.step_payloads (task_id, name, output) select task_id, name, '{}' from state.steps;
  insert into state.events (task_id, action, to_state, actor)
  select task_id, 'submit', 'pending', 'x' from state.tasks;
  insert into state.submissions
  select 'default', task_id::text, 'x', task_id, now() + interval '1 day' from state.tasks;
  insert into state.outbox (subject, channel, seq, body) select task_id, 'event', 1, '{}' from state.tasks;
  insert into orders.orders (order_id, customer, currency, total) select task_id, 'Ada', 'EUR', 1 from state.tasks;
  insert into orders.order_lines (order_id, line, sku, quantity, unit_price)
  select task_id, 1, 'book', 1, 1 from state.tasks;
  analyze`;

/**
 * Which locks a transaction holds that readers or writers of a full table wait for, and how many rows of such
 * tables it has read. A table that it made itself concerns nobody else.
 */
const observe = (migration: string, phase: number): string => `
  insert into public.phases
  select '${migration}', ${phase},
         (select coalesce(array_agg(distinct regexp_replace(relation::regclass::text, '_\\d{4}_\\d\\d$', '')), '{}')
            from pg_locks
            join pg_class on pg_class.oid = relation
            join public.full_tables on full_tables.oid = pg_class.oid
           where pid = pg_backend_pid()
             and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')),
         (select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)
            from pg_stat_xact_user_tables
            join public.full_tables on oid = relid);
  select pg_stat_force_next_flush();`;

interface Observed {
  readonly migration: string;
  readonly phase: number;
  readonly locked: readonly string[];
  readonly rows_read: string;
}

test("a migration that keeps others from a full table says so, locks it at once, and reads none of it", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: first });
  await using client = await connect(database.url);
  await client.query(fill);
  await client.query(
    `create table public.phases (migration text, phase integer, locked text[], rows_read bigint);
     create table public.full_tables as
     select oid from pg_class where relkind = 'r' and reltuples >= ${tasks}`,
  );
  await migrate(database.url, { beforeCommit: observe });
  const { rows } = await client.query<Observed>("select * from public.phases");
  expect(new Set(rows.map(({ migration }) => migration))).toEqual(
    new Set(later.map(({ name }) => name)),
  );

  const phaseOf = ({ migration, phase }: Observed) =>
    later.find(({ name }) => name === migration)!.phases[phase]!;
  const undeclared = rows.flatMap((row) =>
    row.locked
      .filter((table) => !phaseOf(row).locks.includes(table))
      .map((table) => `${row.migration}, phase ${row.phase + 1}: ${table}`),
  );
  expect(undeclared).toEqual([]);
  const reading = rows.filter(
    ({ locked, rows_read: read }) => locked.length > 0 && Number(read) > tasks / 10,
  );
  expect(reading).toEqual([]);
});

test("statements of a migration that run apart build or drop indexes concurrently, and may run again", () => {
  const apart = later.flatMap(({ phases }) => phases.filter(({ mode }) => mode === "apart"));
  const statements = apart.map(statementsOf);
  expect(statements.length).toBeGreaterThan(0);
  for (const [number, statement] of statements.flat().entries()) {
    expect(statement).toMatch(/^(create|drop) index concurrently /);
    const [, made] = /^create index concurrently (\w+) /.exec(statement) ?? [];
    // One that was interrupted leaves an index that is not valid.
    if (made !== undefined) {
      expect(statements.flat()[number - 1]).toBe(`drop index concurrently if exists state.${made}`);
    }
  }
});

/** All that a schema is, apart from the order in which its things were made. */
const catalog = `
  select 'table ' || oid::regclass || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') || ' '
         || coalesce((select string_agg(acl::text, ' ' order by acl::text)
                        from unnest(relacl) as acl where acl::text like 'holdfast%'), '') as part
    from pg_class where relnamespace in ('state'::regnamespace, 'orders'::regnamespace) and relkind in ('r', 'p', 'v', 'S')
  union all
  select 'column ' || attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
         || attnotnull || attidentity::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') || coalesce(attacl::text, '')
    from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind in ('r', 'p', 'v')
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relnamespace in ('state'::regnamespace, 'orders'::regnamespace) and attnum > 0 and not attisdropped
  union all
  select 'index ' || pg_get_indexdef(indexrelid) || ' ' || indisvalid
    from pg_index join pg_class on pg_class.oid = indexrelid
   where relnamespace in ('state'::regnamespace, 'orders'::regnamespace)
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
    from pg_constraint where connamespace in ('state'::regnamespace, 'orders'::regnamespace) and contype <> 'n'
  union all
  select 'trigger ' || pg_get_triggerdef(pg_trigger.oid)
    from pg_trigger join pg_class on pg_class.oid = tgrelid
   where relnamespace = 'state'::regnamespace and not tgisinternal
  union all
  select 'function ' || pg_get_functiondef(oid) || coalesce(
           (select string_agg(acl::text, ' ' order by acl::text) from unnest(proacl) as acl where acl::text like '%holdfast%'), '')
    from pg_proc where pronamespace = 'state'::regnamespace
  union all
  select 'view ' || viewname || ' ' || definition from pg_views where schemaname in ('state', 'orders')
  union all
  select 'compatibility ' || compatibility::text from state.compatibility
  order by 1`;

test("a store that is upgraded and one that is new have the same schema", async () => {
  const schemas: unknown[] = [];
  for (const isNew of [true, false]) {
    await using database = await testDatabase();
    await using client = await connect(database.url);
    if (!isNew) {
      await migrate(database.url, { upTo: first });
      await client.query(fill);
    }
    await migrate(database.url);
    const { rows } = await client.query<{ part: string }>(catalog);
    schemas.push(rows.map(({ part }) => part));
  }
  expect(schemas[1]).toEqual(schemas[0]);
});

test("a migration that is interrupted leaves what was committed, and is completed by the next run", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: first });
  await using client = await connect(database.url);
  await client.query(fill);
  const applied = async () =>
    (await client.query<{ name: string }>("select name from state.migrations order by name")).rows;
  for (const { name, phases } of later) {
    for (const phase of phases.keys()) {
      if (phases[phase]?.mode === "apart") continue;
      const before = await applied();
      const interrupted = migrate(database.url, {
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
    expect(await migrate(database.url, { upTo: name })).toEqual([name]);
  }
  expect(await migrate(database.url)).toEqual([]);
  const { rows } = await client.query(
    `select (select count(*)::integer from state.tasks) as tasks, (select count(*)::integer from orders.order_lines) as lines,
            (select count(*)::integer from pg_constraint where conname = 'first_partition') as left_over`,
  );
  expect(rows).toEqual([{ tasks, lines: tasks, left_over: 0 }]);
});

test("a migration gives up when its patience is over, says who is in the way, and has changed nothing", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: "0008_partitions" });
  await using reader = await connect(`${database.url}?application_name=report`);
  await reader.query("begin; select from state.tasks");
  const waits: number[] = [];
  const migrating = migrate(database.url, {
    patience: 1_500,
    onWait: ({ attempt }) => waits.push(attempt),
  });
  await expect(migrating).rejects.toMatchObject({
    code: "store.contention",
    message: expect.stringMatching(
      /migration 0009_one_check.*report, idle in transaction.*state\.tasks/,
    ),
  });
  expect(waits.length).toBeGreaterThan(2);
  await reader.query("rollback");
  expect(await migrate(database.url)).toEqual(
    later.map(({ name }) => name).filter((name) => name > "0009"),
  );
});

/** What services have rights to: by its name and arguments. */
const granted = `
  select oid::regprocedure::text as thing from pg_proc
   where pronamespace = 'state'::regnamespace and proacl::text like '%holdfast_%'
  union
  select oid::regclass::text from pg_class
   where relkind in ('r', 'p', 'v') and relacl::text like '%holdfast_%'
  union
  select attrelid::regclass || '.' || attname from pg_attribute
    join pg_class on pg_class.oid = attrelid
   where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v') and relacl::text like '%holdfast_%'`;

test("a migration that takes away what services use refuses the releases that use it", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: first });
  await using client = await connect(database.url);
  const things = async () =>
    (await client.query<{ thing: string }>(granted)).rows.map(({ thing }) => thing);
  const compatibility = async () =>
    (await client.query("select schema_version, oldest_reader from state.compatibility")).rows[0]!;
  let before = await things();
  const gone: string[] = [];
  for (const { name } of later) {
    await migrate(database.url, { upTo: name });
    const after = await things();
    const missing = before.filter((thing) => !after.includes(thing));
    const { schema_version: version, oldest_reader: oldest } = await compatibility();
    if (missing.length > 0)
      expect({ name, missing, oldest }).toEqual({ name, missing, oldest: version });
    gone.push(...missing);
    before = after;
  }
  // 0012 did.
  expect(gone).toContain("state.drop_month(date)");
});
