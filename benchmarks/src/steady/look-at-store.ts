import { queryOnce } from "@holdfast/local-stack";

/** Bytes and rows, of all partitions together. */
interface TableFacts {
  readonly name: string;
  readonly heap: number;
  readonly live: number;
  readonly dead: number;
}

interface IndexFacts {
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
}

/** What the store tells of itself. */
export interface StoreFacts {
  readonly tables: readonly TableFacts[];
  readonly indexes: readonly IndexFacts[];
  /** Bytes of WAL that were ever written, and that are kept. */
  readonly wal: number;
  readonly walKept: number;
  readonly unfinished: number;
  /** Milliseconds from submission to the end, of the orders that were submitted in the interval. */
  readonly p50: number;
  readonly p99: number;
}

/** Instants in seconds since 1970. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

export async function lookAtStore(url: string, interval: Interval): Promise<StoreFacts> {
  const [rest] = await queryOnce<Omit<StoreFacts, "tables" | "indexes">>(url, restOf(interval));
  if (rest === undefined) throw new Error("The store says nothing");
  return {
    tables: await queryOnce<TableFacts>(url, tables),
    indexes: await queryOnce<IndexFacts>(url, indexes),
    ...rest,
  };
}

const whole = (relation: string): string =>
  `coalesce(pg_partition_root(${relation}), ${relation})::regclass::text`;

const tables = `
  select ${whole("relid")}             as name,
         sum(pg_table_size(relid))::float8 as heap,
         sum(n_live_tup)::float8       as live,
         sum(n_dead_tup)::float8       as dead
    from pg_stat_user_tables
   where schemaname = 'state'
   group by 1
   order by 1`;

const indexes = `
  select ${whole("relid")}      as table,
         ${whole("indexrelid")} as name,
         sum(pg_relation_size(indexrelid))::float8 as bytes
    from pg_stat_user_indexes
   where schemaname = 'state'
   group by 1, 2
   order by 1, 2`;

/** An order that has not ended counts with what it has taken so far. */
const restOf = ({ from, to }: Interval): string => `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
         (select sum(size) from pg_ls_waldir())::float8       as "walKept",
         (select count(*) from state.tasks where finished_at is null)::float8 as unfinished,
         coalesce(took[1], 0) as p50,
         coalesce(took[2], 0) as p99
    from (select percentile_cont(array[0.5, 0.99]) within group (
                   order by extract(epoch from coalesce(finished_at, clock_timestamp()) - created_at)
                            ::float8 * 1000) as took
            from state.tasks
           where task_id >= state.first_id_of(to_timestamp(${from}))
             and task_id < state.first_id_of(to_timestamp(${to}))) as recent`;
