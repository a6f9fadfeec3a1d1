import { setTimeout as sleep } from "node:timers/promises";
import { queryOnce } from "@holdfast/local-stack";
import { forgetStatements } from "../scale/count-statements.ts";

/** What one role asked of the store. */
interface RoleCounts {
  readonly statements: number;
  /** Pages that were looked up, found in memory or not. */
  readonly buffers: number;
}

/**
 * What was written to the write-ahead log, full images of pages left out: those follow checkpoints.
 */
interface WalCounts {
  readonly walBytes: number;
  /** Versions of rows of all tables. */
  readonly rows: number;
  readonly indexEntries: number;
}

/** Makes a database ready to be counted in. */
export async function prepareCounting(url: string): Promise<void> {
  await queryOnce(url, "create extension if not exists pg_stat_statements");
  await queryOnce(url, "create extension if not exists pg_walinspect");
}

/**
 * Has vacuum leave all tables alone: the clock decides when it runs, and what it learns changes
 * plans.
 */
export async function preventVacuum(url: string): Promise<void> {
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

/** What was done to the store. */
export interface StoreCounts extends WalCounts {
  /** What each role did, by the role's name. */
  readonly roles: Readonly<Record<string, RoleCounts>>;
  /** Milliseconds that it took, until nothing more was written. */
  readonly ms: number;
}

interface Counting {
  readonly orders: number;
  /** Whether each order has its own statements, so that what runs less often belongs to a timer. */
  readonly inTurn: boolean;
}

/** No timer runs more often. */
const timerRunsPerSecond = 12;
/** Milliseconds between two looks at whether all is written. */
const pollInterval = 50;

/** Counts what is done to the store while something is done with so many orders. */
export async function countInStore(
  url: string,
  { orders, inTurn }: Counting,
  act: () => Promise<unknown>,
): Promise<StoreCounts> {
  await settled(url);
  await forgetStatements(url);
  const from = await walEnd(url);
  const startedAt = performance.now();
  await act();
  await settled(url);
  const ms = performance.now() - startedAt;
  const wal = await countWal(url, from, await walEnd(url));
  const atLeast = inTurn ? Math.max(orders, (timerRunsPerSecond * ms) / 1_000) : 1;
  return { ...wal, roles: await countByRole(url, atLeast), ms };
}

/** Resolves when nothing has been written between two looks. */
export async function settled(url: string): Promise<void> {
  for (let last = ""; ; await sleep(pollInterval)) {
    const end = await walEnd(url);
    if (end === last) return;
    last = end;
  }
}

/** Returns where the write-ahead log ends. */
async function walEnd(url: string): Promise<string> {
  const [end] = await queryOnce<{ lsn: string }>(
    url,
    "select pg_current_wal_insert_lsn()::text as lsn",
  );
  return end?.lsn ?? "";
}

/** Counts what was written between two ends of the log. */
async function countWal(url: string, from: string, to: string): Promise<WalCounts> {
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
 * Counts, for each role, the statements that ran at least so often since they were forgotten. Those
 * that ran less often belong to timers, where each order has its own statements.
 */
async function countByRole(
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
