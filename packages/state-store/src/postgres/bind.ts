import type { Pool } from "pg";
import { asFault } from "./postgres-error.ts";
import type { Database } from "./query.ts";
import { withRetries } from "./retry.ts";
import { inTransaction } from "./transaction.ts";

type Operation<Params, Result> = (db: Database, params: Params) => Promise<Result>;
type Bound<Params, Result> = (params: Params) => Promise<Result>;

/** Three ways to run an operation on a pool; they differ in what happens after a lost connection. */
export interface Binder {
  /** Retries it. For operations that are safe to repeat. */
  readonly repeatable: <Params, Result>(
    operation: Operation<Params, Result>,
  ) => Bound<Params, Result>;
  /** Throws. For operations that take rows: if the answer is lost, a retry would take more. */
  readonly once: <Params, Result>(operation: Operation<Params, Result>) => Bound<Params, Result>;
  /**
   * Looks up whether it was committed, and retries it only if not. For operations whose second run would
   * return something else, or write a second row.
   */
  readonly exactlyOnce: <Params, Result>(
    operation: Operation<Params, Result>,
  ) => Bound<Params, Result>;
}

export function bindTo(pool: Pool): Binder {
  return {
    repeatable: (operation) => (params) => withRetries(() => operation(pool, params)),
    once: (operation) => (params) => asFault(() => operation(pool, params)),
    exactlyOnce: (operation) => (params) =>
      withRetries(() =>
        inTransaction(pool, async (client) => {
          const answer = await operation(client, params);
          return { sent: [], result: () => answer };
        }),
      ),
  };
}
