import type { Milliseconds } from "@holdfast/domain";
import { allIds, type IdRange, idsBetween, isWithin, monthsOf } from "./id-ranges.ts";
import { type Database, query } from "./query.ts";
import { rowsOf } from "./statement-types.ts";

interface Months {
  /** Null: this month has no partition. */
  readonly firstId: string | null;
  readonly endId: string | null;
  readonly firstKnownId: string | null;
  readonly endKnownId: string | null;
}

const find = query("find-active-partitions", rowsOf<Months>());

export type ActivePartitions = ReturnType<typeof activePartitions>;

/** So long an old month may go unseen in which something is to be done again. */
const looksEvery: Milliseconds = 30_000;
/** Shorter than the minute by which the store names the next month in advance. */
const lasts: Milliseconds = 45_000;

/**
 * Says in which months there may be something to do, so that who searches passes over all others: as of a
 * moment ago; all, while that is not known.
 */
export function activePartitions(
  db: Database,
  clock: () => Milliseconds = () => performance.now(),
) {
  let range = allIds;
  let known: IdRange | null = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const begun = clock();
    askedAt = begun;
    const [found] = await find(db, {});
    seenAt = begun;
    range = rangeOf(found?.firstId, found?.endId) ?? allIds;
    known = rangeOf(found?.firstKnownId, found?.endKnownId);
  };
  const lookNowAndThen = () => {
    // No caller waits for this query, nor for its retry.
    if (clock() - askedAt >= looksEvery) look().catch(() => {});
  };
  return {
    range(): IdRange {
      lookNowAndThen();
      return clock() - seenAt < lasts ? range : allIds;
    },
    /**
     * The months of tasks whose ids come from outside. Returns `allIds` for a month without a partition:
     * each range is a prepared statement on each connection, and a sender could name 100,000 months.
     */
    monthsOf(taskIds: readonly string[]): IdRange {
      lookNowAndThen();
      const months = monthsOf(taskIds);
      return known !== null && isWithin(months, known) ? months : allIds;
    },
  };
}

const rangeOf = (firstId?: string | null, endId?: string | null): IdRange | null =>
  firstId == null || endId == null ? null : idsBetween(firstId, endId);
