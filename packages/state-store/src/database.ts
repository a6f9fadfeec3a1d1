import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import type { Database } from "./query.ts";
import { toStoreFault } from "./store-fault.ts";

export interface ConnectionOptions {
  readonly url: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly maxConnections: number;
}

/** A pool whose every limit is set: nothing here waits for ever. */
export function openPool({ url, applicationName, maxConnections }: ConnectionOptions): Pool {
  const pool = new Pool({
    connectionString: withOnePlan(url),
    application_name: applicationName,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    statement_timeout: 10_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    pipeline: true,
  });
  // A connection that breaks while nobody uses it is simply replaced; without a listener it would
  // end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/**
 * Every statement here has one good plan, whatever its parameters and however large the tables:
 * nested loops over indexes. Left to itself the planner plans the claim anew each time, which takes
 * longer than the claim, or keeps a plan that it made when the tables were empty. Asked for at the
 * start of a connection, so no session state is needed.
 */
const planner = [
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  // Before Postgres 18 what is off counts as very expensive, which would have each plan compiled.
  "jit=off",
];

function withOnePlan(url: string): string {
  const address = new URL(url);
  const asked = address.searchParams.get("options") ?? "";
  const options = [asked, ...planner.map((setting) => `-c ${setting}`)];
  address.searchParams.set("options", options.join(" ").trim());
  return address.href;
}

/** Runs `work` in one transaction; `work` ends it with `commit`. Whatever it throws rolls back. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Database & Pick<PoolClient, "query">) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    await client.query("rollback").catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const tries = 5;

/** Repeats what lost against a rival. Every other error leaves as a `Fault`. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = toStoreFault(error);
      if (fault.code !== "store.contention" || attempt === tries) throw fault;
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}
