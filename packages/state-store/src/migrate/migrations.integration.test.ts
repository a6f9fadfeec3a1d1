import { testDatabase } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import {
  connect,
  fill,
  firstMigration as first,
  rehearsal as folders,
  later,
  tasks,
} from "../../test/rehearsal.ts";
import { migrate } from "./migrate.ts";
import { statementsOf } from "./migration-files.ts";

/**
 * Which locks a transaction holds that readers or writers of a full table wait for, and how many
 * rows of such tables it has read. A table that it made itself concerns no other transaction.
 */
const observe = (migration: string, phase: number): string => `
  insert into public.phases
  select '${migration}', ${phase},
         (select coalesce(array_agg(distinct full_tables.name), '{}')
            from pg_locks
            join pg_class on pg_class.oid = relation
            join public.full_tables on full_tables.oid = pg_class.oid
           where pid = pg_backend_pid()
             and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')),
         (select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)
            from pg_stat_xact_user_tables
            join public.full_tables on full_tables.oid = relid);
  select pg_stat_force_next_flush();`;

interface Observed {
  readonly migration: string;
  readonly phase: number;
  readonly locked: readonly string[];
  readonly rows_read: string;
}

test("a migration that locks a full table declares so, locks it first, and reads none of it", async () => {
  await using database = await testDatabase();
  await migrate(database.url, { upTo: first });
  await using client = await connect(database.url);
  await client.query(fill);
  await client.query(
    `create table public.phases (migration text, phase integer, locked text[], rows_read bigint);
     create table public.full_tables as
     select oid, regexp_replace(oid::regclass::text, '_\\d{4}_\\d\\d$', '') as name
       from pg_class where relkind = 'r' and reltuples >= ${tasks}`,
  );
  await migrate(database.url, { folders, beforeCommit: observe });
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

test("statements of a migration that run apart build or drop indexes concurrently, or work in batches, and may run again", () => {
  const apart = later.flatMap(({ phases }) => phases.filter(({ mode }) => mode === "apart"));
  const statements = apart.map(statementsOf);
  expect(statements.length).toBeGreaterThan(0);
  for (const [number, statement] of statements.flat().entries()) {
    expect(statement).toMatch(/^(create index|drop index|call state\.fill_\w+\(\)$)/);
    if (statement.includes(" index ")) expect(statement).toMatch(/^\w+ index concurrently /);
    const [, made] = /^create index concurrently (\S+) /.exec(statement) ?? [];
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
    from pg_class where relnamespace = 'state'::regnamespace and relkind in ('r', 'p', 'v', 'S')
  union all
  select 'column ' || attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
         || attnotnull || attidentity::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') || coalesce(attacl::text, '')
    from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind in ('r', 'p', 'v')
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relnamespace = 'state'::regnamespace and attnum > 0 and not attisdropped
  union all
  select 'index ' || case when relispartition then regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \\S+', '')
                          else pg_get_indexdef(indexrelid) end || ' ' || indisvalid
    from pg_index join pg_class on pg_class.oid = indexrelid
   where relnamespace = 'state'::regnamespace
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
    from pg_constraint where connamespace = 'state'::regnamespace and contype <> 'n'
  union all
  select 'trigger ' || pg_get_triggerdef(pg_trigger.oid)
    from pg_trigger join pg_class on pg_class.oid = tgrelid
   where relnamespace = 'state'::regnamespace and not tgisinternal
  union all
  select 'function ' || pg_get_functiondef(oid) || coalesce(
           (select string_agg(acl::text, ' ' order by acl::text) from unnest(proacl) as acl where acl::text like '%holdfast%'), '')
    from pg_proc where pronamespace = 'state'::regnamespace
  union all
  select 'view ' || viewname || ' ' || definition from pg_views where schemaname = 'state'
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
    await migrate(database.url, { folders });
    const { rows } = await client.query<{ part: string }>(catalog);
    schemas.push(rows.map(({ part }) => part));
  }
  expect(schemas[1]).toEqual(schemas[0]);
});

/**
 * What services and applications have rights to, and not only who owns it: by its name and
 * arguments.
 */
const granted = `
  select oid::regprocedure::text as thing from pg_proc
   where pronamespace = 'state'::regnamespace and proacl::text like '%holdfast\\_%'
  union
  select oid::regclass::text from pg_class
   where relkind in ('r', 'p', 'v') and relacl::text like '%holdfast\\_%'
  union
  select attrelid::regclass || '.' || attname from pg_attribute
    join pg_class on pg_class.oid = attrelid
   where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v') and relacl::text like '%holdfast\\_%'`;

test("a migration that removes what services use refuses the releases that use it", async () => {
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
    await migrate(database.url, { folders, upTo: name });
    const after = await things();
    const missing = before.filter((thing) => !after.includes(thing));
    const { schema_version: version, oldest_reader: oldest } = await compatibility();
    if (missing.length > 0)
      expect({ name, missing, oldest }).toEqual({ name, missing, oldest: version });
    gone.push(...missing);
    before = after;
  }
  // The last one did.
  expect(gone).toContain("state.order_process");
});
