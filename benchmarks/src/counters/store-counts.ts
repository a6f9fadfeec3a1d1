import { queryOnce } from "@holdfast/local-stack";

/** What one role asked of the store. */
export interface RoleCounts {
  readonly statements: number;
  /** Pages that were looked up, found in memory or not. */
  readonly buffers: number;
}

/** What was written to the write-ahead log, full images of pages left out: those follow checkpoints. */
export interface WalCounts {
  readonly walBytes: number;
  /** Versions of rows of all tables. */
  readonly rows: number;
  readonly indexEntries: number;
}

/**
 * Makes a database ready to be counted in. Vacuum leaves its tables alone: when it runs is decided by the clock,
 * and what it learns changes plans.
 */
export async function prepareCounting(url: string): Promise<void> {
  await queryOnce(url, "create extension if not exists pg_stat_statements");
  await queryOnce(url, "create extension if not exists pg_walinspect");
  await queryOnce(
    url,
    `do $$
     declare name regclass;
     begin
       for name in select oid from pg_class where relkind = 'r' and relnamespace = 'state'::regnamespace
       loop execute format('alter table %s set (autovacuum_enabled = off)', name);
       end loop;
     end $$`,
  );
}

/** Where the write-ahead log ends. */
export async function walEnd(url: string): Promise<string> {
  const [end] = await queryOnce<{ lsn: string }>(
    url,
    "select pg_current_wal_insert_lsn()::text as lsn",
  );
  return end?.lsn ?? "";
}

/** Counts what was written between two ends of the log. */
export async function countWal(url: string, from: string, to: string): Promise<WalCounts> {
  const [counts] = await queryOnce<WalCounts>(
    url,
    `select sum(record_size)::float8 as "walBytes",
            sum(count) filter (where "resource_manager/record_type"
              ~ '^Heap/(INSERT|UPDATE|HOT_UPDATE|DELETE)')::float8 as rows,
            sum(count) filter (where "resource_manager/record_type"
              ~ '^Btree/INSERT_(LEAF|POST)')::float8 as "indexEntries"
       from pg_get_wal_stats('${from}', '${to}', true)`,
  );
  if (counts === undefined) throw new Error("Postgres has no statistics of its write-ahead log");
  return counts;
}

/**
 * Counts, for each role, the statements that ran at least so often since they were forgotten. Those that ran less
 * often belong to timers, where each order has its own statements.
 */
export async function countByRole(
  url: string,
  atLeast: number,
): Promise<Readonly<Record<string, RoleCounts>>> {
  const rows = await queryOnce<RoleCounts & { role: string }>(
    url,
    `select userid::regrole::text as role,
            coalesce(sum(calls), 0)::float8 as statements,
            coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers
       from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database())
        and calls >= ${atLeast}
      group by userid`,
  );
  return Object.fromEntries(rows.map(({ role, ...counts }) => [role, counts]));
}
