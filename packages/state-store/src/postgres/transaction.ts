import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, TransientFault } from "@holdfast/domain";
import type { Pool, PoolClient } from "pg";
import { toStoreFault } from "./postgres-error.ts";
import { type Database, query } from "./query.ts";
import { rowsOf } from "./statement-types.ts";
import { connectWithin, mustBeWritable } from "./store-client.ts";

/** A transaction whose statements are all sent; only `commit` is missing. */
export interface Decided<T> {
  /** Statements that were sent and not awaited. */
  readonly sent: readonly Promise<unknown>[];
  /**
   * Finds out after a lost connection whether the transaction was committed, by looking for its
   * writes. Needed if it sends its commit along with its begin, and so may not know its id. Without
   * it the outcome is unknown.
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
    // Without it nothing that follows succeeds: `work` may be the first to fail, but not with the
    // reason.
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

/**
 * Resolves to what is wrong with the connection. A server that did not answer is not asked again.
 */
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

/** Enough for connections that break now and then. During an outage the caller retries. */
const maxAttempts = 8;
const longestDelay = 100;
/**
 * No attempt begins later than so many milliseconds after the first: a connect that times out takes
 * as long.
 */
const timeout = connectWithin;
const retryable = new Set(["store.contention", "store.unavailable"]);

/**
 * Retries work for a short while after a deadlock, a lock timeout or a lost connection. The work
 * must be safe to repeat. Throws every other error, and the last one, as a `Fault`.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = toStoreFault(error);
      const isLast = attempt === maxAttempts || performance.now() - begun > timeout;
      if (!retryable.has(fault.code) || isLast) throw fault;
      await sleep(Math.random() * Math.min(longestDelay, 10 * 2 ** attempt));
    }
  }
}

/** Identifies a transaction, so that its outcome can be looked up after a lost connection. */
interface Begun {
  readonly xid: string;
  /** The start of the server: it changes with each crash, restart and failover. */
  readonly incarnation: string;
}

const findTransaction = query(
  "find-transaction",
  rowsOf<{ status: string | null; incarnation: string }>(),
);
/** Postgres knows no transaction of that id: the server forgot it in a crash. */
const invalidParameter = "22023";
/** Milliseconds. A server that has not noticed the loss yet may be committing still. */
const pollDelay = 20;

type CommitOutcome = "committed" | "aborted" | "unknown";

/**
 * Returns if the transaction was committed; throws `reason` if not, `store.outcome_unknown` if that
 * is unknown.
 */
async function mustBeCommitted(find: () => Promise<CommitOutcome>, reason: unknown): Promise<void> {
  const fault = toStoreFault(reason);
  if (fault.code !== "store.unavailable") throw fault;
  const outcome = await find().catch(() => "unknown");
  if (outcome === "committed") return;
  if (outcome === "aborted") throw fault;
  throw new TransientFault("store.outcome_unknown", fault.message, { cause: reason });
}

/** What is not visible may still be committed: a slow server may execute the statements later. */
const outcomeSeen = async (
  pool: Pool,
  verifyCommitted: (db: Database) => Promise<boolean>,
): Promise<CommitOutcome> =>
  (await withRetries(() => verifyCommitted(pool))) ? "committed" : "unknown";

/**
 * A server that crashed has forgotten the transactions that it had not written yet, and gives their
 * ids to others. So what was committed there may be another one; what was not is ours in no case.
 */
async function outcomeOf(pool: Pool, { xid, incarnation }: Begun): Promise<CommitOutcome> {
  const asked = performance.now();
  for (;;) {
    const found = await withRetries(() => findTransaction(pool, { xid })).catch(orNeverBegun);
    if (found === null) return "aborted";
    const [{ status, ...server }] = found as [(typeof found)[number]];
    const isSameServer = server.incarnation === incarnation;
    if (status === "committed") return isSameServer ? "committed" : "unknown";
    if (status === "aborted" || !isSameServer) return "aborted";
    if (status === null || performance.now() - asked > timeout) return "unknown";
    await sleep(pollDelay);
  }
}

function orNeverBegun(fault: Fault): null {
  if (fault.details["sqlstate"] === invalidParameter) return null;
  throw fault;
}

const waitsForStandby = "SyncRepWaitForLSN";
/** Clients whose last commit the synchronous standby did not confirm within `statement_timeout`. */
const unconfirmed = new WeakSet<object>();

/**
 * Postgres reports such a commit as done, and says in a notice of this routine that it is on this
 * server only.
 */
export function watchReplication(client: PoolClient): void {
  client.on("notice", (notice) => {
    if (notice.routine === waitsForStandby) unconfirmed.add(client);
  });
}

/** Whether the last commit of a client is on its server only. Forgets it. */
const takeUnconfirmedCommit = (client: PoolClient): boolean => unconfirmed.delete(client);

/**
 * Something takes longer than a transaction may that keeps rows locked. It is rolled back, `finish`
 * is called, and the next transaction finds done what this one had no time for.
 */
export class TakesLong extends Error {
  readonly finish: () => Promise<void>;

  constructor(finish: () => Promise<void>) {
    super("A transaction would keep rows locked for too long");
    this.finish = finish;
  }
}

/**
 * Something that is found out between two transactions and stays so: however long it takes, no row
 * is locked meanwhile. Returns what was found of all that is asked, in the same order, or throws
 * `TakesLong`, which finds out the rest.
 */
export function foundBetween<Asked, Found>(
  keyOf: (asked: Asked) => string,
  find: (asked: Asked) => Promise<Found> | Found,
): (asked: readonly Asked[]) => readonly Found[] {
  const known = new Map<string, Found>();
  return (asked) => {
    const left = asked.filter((one) => !known.has(keyOf(one)));
    if (left.length === 0) return asked.map((one) => known.get(keyOf(one)) as Found);
    throw new TakesLong(async () => {
      for (const one of left) known.set(keyOf(one), await find(one));
    });
  };
}

/** Runs a transaction, and runs it again for as long as something in it takes long. */
export async function untilQuick<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof TakesLong)) throw error;
      await error.finish();
    }
  }
}
