import { ContractFault, errorText } from "@holdfast/domain";
import { unlessAborted } from "@holdfast/runtime";
import type { Pool } from "pg";
import { mustBeCompatible } from "../migrate/must-be-compatible.ts";
import { type ConnectionOptions, openPool } from "./pool.ts";
import { withRetries } from "./transaction.ts";

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
    throw explained(error);
  }
}

/** What PgBouncer and its like say of options that a session is started with. */
const refusedOptions = "unsupported startup parameter";

/** A pooler that refuses our connections will do so for ever: no outage, but a setting that is missing. */
const explained = (error: unknown): unknown =>
  errorText(error).includes(refusedOptions)
    ? new ContractFault(
        "config.invalid",
        `STATE_STORE_URL leads to a pooler that does not take what services set at the start of a session (${errorText(error)}): add ?pooler=transaction to it, and see PgBouncer in docs/guides/operations.md`,
        { cause: error },
      )
    : error;
