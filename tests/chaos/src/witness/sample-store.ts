import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "../checker/evidence.ts";
import type { Environment } from "../system/start-environment.ts";

interface Options {
  readonly environment: Pick<Environment, "query">;
  readonly record: (sample: Sample) => void;
  readonly signal: AbortSignal;
}

const rest = 1_000;

const look = `
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as at,
         coalesce((select max(extract(epoch from clock_timestamp() - complete_by)) * 1000
                     from state.steps where process_state = 'processing'), 0)::float8 as "overdueMs",
         coalesce(max(extract(epoch from clock_timestamp() - state_change) * 1000)
                    filter (where state = 'idle in transaction'), 0)::float8 as "idleInTransactionMs",
         count(*)::integer as connections
    from pg_stat_activity
   where datname = current_database()`;

/** Looks at the store every second, and looks away while it cannot be reached. */
export async function sampleStore({ environment, record, signal }: Options): Promise<void> {
  while (!signal.aborted) {
    const samples = await environment.query<Sample>(look).catch(() => []);
    for (const sample of samples) record(sample);
    await sleep(rest, undefined, { signal }).catch(() => {});
  }
}
