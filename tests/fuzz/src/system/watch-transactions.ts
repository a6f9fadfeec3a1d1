import { setTimeout as sleep } from "node:timers/promises";
import { openQueries } from "@holdfast/local-stack";

/** Milliseconds between two looks. */
const rest = 100;

/** The longest that a transaction of a service has been open, of those that were seen in a look. */
const longest = `
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
    from pg_stat_activity
   where datname = current_database() and xact_start is not null and state <> 'idle'
     and application_name similar to '(submission|operations|scheduler|supervisor)%'`;

/** Looks at the open transactions of the services until the signal. */
export async function watchTransactions(
  stateStoreUrl: string,
  seen: (ms: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await using queries = await openQueries(stateStoreUrl);
  while (!signal.aborted) {
    const [found] = await queries.query<{ readonly ms: number }>(longest);
    seen(found?.ms ?? 0);
    await sleep(rest, undefined, { signal }).catch(() => {});
  }
}
