import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, TransientFault } from "@holdfast/domain";
import type { Pool } from "pg";
import { toStoreFault } from "./postgres-error.ts";
import { type Database, query } from "./query.ts";
import { timeout, withRetries } from "./retry.ts";
import { rowsOf } from "./statement-types.ts";

/** Identifies a transaction, so that its outcome can be looked up after a lost connection. */
export interface Begun {
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

/** Returns if the transaction was committed; throws `reason` if not, `store.outcome_unknown` if that is unknown. */
export async function mustBeCommitted(
  find: () => Promise<CommitOutcome>,
  reason: unknown,
): Promise<void> {
  const fault = toStoreFault(reason);
  if (fault.code !== "store.unavailable") throw fault;
  const outcome = await find().catch(() => "unknown");
  if (outcome === "committed") return;
  if (outcome === "aborted") throw fault;
  throw new TransientFault("store.outcome_unknown", fault.message, { cause: reason });
}

/** What is not visible may still be committed: a slow server may execute the statements later. */
export const outcomeSeen = async (
  pool: Pool,
  verifyCommitted: (db: Database) => Promise<boolean>,
): Promise<CommitOutcome> =>
  (await withRetries(() => verifyCommitted(pool))) ? "committed" : "unknown";

/**
 * A server that crashed has forgotten the transactions that it had not written yet, and gives their
 * ids to others. So what was committed there may be another one; what was not is ours in no case.
 */
export async function outcomeOf(pool: Pool, { xid, incarnation }: Begun): Promise<CommitOutcome> {
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
