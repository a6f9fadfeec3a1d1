import { Fault, SetupFault } from "@holdfast/domain";
import type { InboxClaim } from "@holdfast/state-store";
import type { RefusedSubmission } from "./make-tasks.ts";
import { Problem } from "./problem.ts";

interface Inbox<Row> {
  /** Takes some of what waits, for this process alone until its lease ends. */
  readonly claim: (request: InboxClaim) => Promise<readonly Row[]>;
  /** Takes rows in together, and says which are refused. */
  readonly take: (rows: readonly Row[]) => Promise<readonly RefusedSubmission<Row>[]>;
  readonly refuse: (refused: readonly RefusedSubmission<Row>[]) => Promise<void>;
  /** Called when one row alone is to blame for an error. It is refused. */
  readonly onFailed: (error: unknown, row: Row | undefined) => void;
  /** Called after rows were taken in. */
  readonly onTaken?: () => void;
}

/**
 * Milliseconds between two looks at inboxes that are empty: the first ones follow sooner, since who
 * enqueues wakes no process while something waits.
 */
const rests = [50, 250];
const longestRest = 1_000;
/** What one transaction takes, and what is in memory meanwhile. */
const most = 200;
const mostBytes = 4 * 1024 * 1024;
/**
 * Milliseconds in which a batch is taken in; after that another process takes it. What was taken in
 * vain rests for more of them.
 */
const lease = 15_000;
const mostLeases = 40;

/**
 * Takes in what applications have enqueued in their transactions: the rows of one look. Each is
 * taken in, or refused: whatever crashes, it is there until one of these is committed. Those that
 * were taken in vain before go one by one, after the others: what fails, or ends its process, holds
 * none back. Resolves to whether there were any.
 */
export function inboxTaker<Row extends { readonly claims: number }>(
  inbox: Inbox<Row>,
): () => Promise<boolean> {
  const takeEach = async (rows: readonly Row[]): Promise<readonly RefusedSubmission<Row>[]> => {
    try {
      return await inbox.take(rows);
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      if (rows.length > 1) {
        // One after the other: which of them it is shows by itself.
        const refused = [];
        for (const row of rows) refused.push(...(await takeEach([row])));
        return refused;
      }
      inbox.onFailed(error, rows[0]);
      return rows.map((from) => ({ from, problem: failed() }));
    }
  };
  return async () => {
    const rows = await inbox.claim({ most, mostBytes, lease, mostLeases });
    if (rows.length === 0) return false;
    const failures: unknown[] = [];
    for (const part of partsOf(rows)) {
      try {
        const refused = await takeEach(part);
        if (refused.length > 0) await inbox.refuse(refused);
        if (refused.length < part.length) inbox.onTaken?.();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return true;
  };
}

/**
 * Looks by one statement which inboxes are empty, and takes in what is in the others. Resolves to
 * the milliseconds until the next look.
 */
export function inboxRounds<Name extends string>(
  glance: () => Promise<Readonly<Record<Name, boolean>>>,
  takers: Readonly<Record<Name, () => Promise<boolean>>>,
): () => Promise<number> {
  /** Looks since the last one that found something. */
  let looks = rests.length;
  return async () => {
    const rest = rests[looks] ?? longestRest;
    looks += 1;
    const hasSome = await glance();
    const names = (Object.keys(takers) as Name[]).filter((name) => hasSome[name]);
    const taken = await Promise.allSettled(names.map((name) => takers[name]()));
    // More may have waited than one transaction takes.
    const found = taken.some((one) => one.status === "fulfilled" && one.value);
    if (found) looks = 0;
    const failed = taken.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return found ? 0 : rest;
  };
}

/** What is taken in together: what is taken for the first time, and each of the others. */
function partsOf<Row extends { readonly claims: number }>(
  rows: readonly Row[],
): readonly (readonly Row[])[] {
  const fresh = rows.filter(({ claims }) => claims <= 1);
  const others = rows.filter(({ claims }) => claims > 1).map((row) => [row]);
  return fresh.length === 0 ? others : [fresh, ...others];
}

/** Whether a row is to blame for an error, and not the store, its rights or this process. */
const isOfOneRow = (error: unknown): boolean =>
  error instanceof Fault && !error.transient && !(error instanceof SetupFault);

const failed = () => new Problem(500, "request.failed", "Something went wrong on our side.");
