import { TransientFault } from "@holdfast/domain";
import type { Pool, PoolClient } from "pg";
import { type Begun, mustBeCommitted, outcomeOf, outcomeSeen } from "./commit-outcome.ts";
import { toStoreFault } from "./postgres-error.ts";
import { type Database, query } from "./query.ts";
import { withRetries } from "./retry.ts";
import { rowsOf } from "./statement-types.ts";
import { mustBeWritable } from "./store-client.ts";
import { takeUnconfirmedCommit } from "./unconfirmed-commits.ts";

/** A transaction whose statements are all sent; only `commit` is missing. */
export interface Decided<T> {
  /** Statements that were sent and not awaited. */
  readonly sent: readonly Promise<unknown>[];
  /**
   * Finds out after a lost connection whether the transaction was committed, by looking for its writes. Needed
   * if it sends its commit along with its begin, and so may not know its id. Without it the outcome is unknown.
   */
  readonly verifyCommitted?: (db: Database) => Promise<boolean>;
  /** Builds the result after the commit. Answers to `sent` may have been lost all the same. */
  readonly result: () => T | Promise<T>;
}

/**
 * Runs `work` in one transaction and commits it. Whatever `work` throws, or one of its statements,
 * rolls back. When the connection breaks while it commits, the store is asked what became of it: so
 * an error means that nothing was done, except `store.outcome_unknown`, when it could not be asked.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Database) => Promise<Decided<T>>,
): Promise<T> {
  const { begun, decided, failure } = await withClient(pool, async (client, discard) => {
    const beginning = begin(client);
    // Without it nothing that follows succeeds: `work` may be the first to fail, but not with the reason.
    beginning.catch(() => {});
    const worked = await work(client).catch(async (error: unknown) => {
      await beginning;
      throw error;
    });
    const ends = await Promise.allSettled([beginning, ...worked.sent, client.query("commit")]);
    const lost = ends.find(({ status }) => status === "rejected");
    if (lost?.status === "rejected" && isUnavailable(lost.reason)) discard(lost.reason);
    if (takeUnconfirmedCommit(client)) throw new TransientFault("store.outcome_unknown", lagging);
    return { begun: await beginning.catch(() => null), decided: worked, failure: lost };
  });
  if (failure?.status === "rejected") {
    const { verifyCommitted = async () => false } = decided;
    const find = () =>
      begun === null ? outcomeSeen(pool, verifyCommitted) : outcomeOf(pool, begun);
    await mustBeCommitted(find, failure.reason);
  }
  return decided.result();
}

/** Resolves when a server answers that accepts writes. */
export const pingStore = (pool: Pool): Promise<void> =>
  withRetries(() => withClient(pool, mustBeWritable));

const lagging =
  "Committed, but the synchronous standby did not confirm it: it may be lost in a failover";

async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient, discard: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const discard = (reason: Error): void => {
    broken = reason;
  };
  try {
    return await work(client, discard);
  } catch (error) {
    broken = await rollBack(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Whether a connection with this error may lead to a server that is of no use any more. */
const isUnavailable = (error: unknown): boolean => toStoreFault(error).code === "store.unavailable";

/** Resolves to what is wrong with the connection. A server that did not answer is not asked again. */
async function rollBack(client: PoolClient, error: unknown): Promise<Error | undefined> {
  if (isUnavailable(error)) return error as Error;
  return client.query("rollback").then(
    () => undefined,
    (cause: Error) => cause,
  );
}

const beginTransaction = query("begin-transaction", rowsOf<Begun>());

/** Its id is asked for at once: after a loss it is too late. */
async function begin(client: PoolClient): Promise<Begun> {
  const [, [begun]] = await Promise.all([client.query("begin"), beginTransaction(client, {})]);
  return begun as Begun;
}
