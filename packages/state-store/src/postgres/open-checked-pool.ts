import { unlessAborted } from "@holdfast/runtime";
import type { Pool } from "pg";
import { mustBeCompatible } from "../migrate/must-be-compatible.ts";
import { type ConnectionOptions, openPool } from "./pool.ts";
import { withRetries } from "./retry.ts";

/**
 * Opens a pool on a store whose schema this release can read. Throws `store.incompatible` or `store.not_migrated`, and
 * what the signal aborts with when it does.
 */
export async function openCheckedPool(
  options: ConnectionOptions,
  signal: AbortSignal | undefined,
): Promise<Pool> {
  const pool = openPool(options);
  try {
    await unlessAborted(
      withRetries(() => mustBeCompatible(pool)),
      signal,
    );
    return pool;
  } catch (error) {
    // A server that does not answer keeps its connections for as long as a connect may take.
    const ended = pool.end();
    if (signal?.aborted !== true) await ended;
    throw error;
  }
}
