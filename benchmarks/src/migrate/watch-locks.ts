import { setTimeout as sleep } from "node:timers/promises";
import { rounded } from "@holdfast/load";
import { Client } from "pg";

/** Milliseconds between two looks. */
const every = 5;

/** Tables that the migration keeps others from writing to, or from reading as well. */
const held = `
  select distinct relname::text as name
    from pg_locks
    join pg_stat_activity using (pid)
    join pg_class on pg_class.oid = pg_locks.relation
   where application_name = 'holdfast migrate'
     and granted
     and locktype = 'relation'
     and pg_locks.database = (select oid from pg_database where datname = current_database())
     and relkind in ('r', 'p')
     and relnamespace = 'state'::regnamespace
     and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;

/**
 * Looks every few milliseconds for which tables the migration holds a lock that keeps writers out.
 * A lock counts from the look before the first that finds it to the first that does not.
 */
export async function watchLocks(url: string) {
  const client = new Client({ connectionString: url, application_name: "lock watch" });
  await client.connect();
  const since = new Map<string, number>();
  let longest = { table: "", ms: 0 };
  const stopping = new AbortController();
  let lookedAt = performance.now();

  const look = async (): Promise<void> => {
    const before = lookedAt;
    const { rows } = await client.query<{ name: string }>(held);
    lookedAt = performance.now();
    const names = new Set(rows.map(({ name }) => name));
    for (const name of names) if (!since.has(name)) since.set(name, before);
    for (const [table, from] of since) {
      const ms = lookedAt - from;
      if (ms > longest.ms) longest = { table, ms };
      if (!names.has(table)) since.delete(table);
    }
  };
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await sleep(every);
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await looking;
      await client.end();
      return { longestLockMs: rounded(longest.ms, 1), longestLockOf: longest.table };
    },
  };
}
