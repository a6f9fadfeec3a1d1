import { type Instant, idOfDigits, type Milliseconds } from "@holdfast/domain";
import { allIds, type Database, type IdRange, type PlannedRange, query } from "./query.ts";
import { rowsOf } from "./statement-types.ts";

interface Months {
  /**
   * The first of the ids between which there may be something to do; null: this month has no
   * partition.
   */
  readonly firstId: string | null;
  readonly endId: string | null;
  readonly firstKnownId: string | null;
  readonly endKnownId: string | null;
}

const find = query("find-active-partitions", rowsOf<Months>());

export type ActivePartitions = ReturnType<typeof activePartitions>;

/** The time for which an old month may go unseen in which something is to be done again. */
const looksEvery: Milliseconds = 30_000;
/**
 * The time for which what was read holds: shorter than the minute by which the store names the next
 * month in advance.
 */
const lasts: Milliseconds = 45_000;

/**
 * Says in which months there may be something to do, so that who searches passes over all others:
 * as of a moment ago; all, while that is not known.
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
    range(): PlannedRange {
      lookNowAndThen();
      return planned(clock() - seenAt < lasts ? range : allIds);
    },
    /**
     * Has the range hold the months of these tasks, in which there is something to do since a
     * moment ago.
     */
    async include(taskIds: readonly string[]): Promise<void> {
      if (!isWithin(monthsOf(taskIds), range)) await look();
    },
    /**
     * The months of these tasks. Returns `allIds` for a month without a partition: each range is a
     * prepared statement on each connection, and a sender of ids could name 100,000 months.
     */
    monthsOf(taskIds: readonly string[]): PlannedRange {
      lookNowAndThen();
      const months = monthsOf(taskIds);
      return planned(known !== null && isWithin(months, known) ? months : allIds);
    },
  };
}

const planned = (range: IdRange): PlannedRange => range as PlannedRange;

/**
 * The month of these tasks, or the two, as it is about the turn of one. Of more it is all: ranges
 * are to be few.
 */
function monthsOf(taskIds: readonly string[]): IdRange {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const taskId of taskIds) {
    const instant = instantOf(taskId);
    // Written otherwise, which is for the store to understand.
    if (Number.isNaN(instant)) return allIds;
    first = Math.min(first, instant);
    last = Math.max(last, instant);
  }
  if (last < first) return allIds;
  const [from, to] = [monthOf(first), monthOf(last)];
  return to - from > 1 ? allIds : rangeOfMonths(from, to);
}

const rangeOf = (firstId?: string | null, endId?: string | null): IdRange | null =>
  firstId == null || endId == null ? null : idsBetween(firstId, endId);

/** The ids from one on and before another, which is the first of a month. */
export const idsBetween = (firstId: string, endId: string): IdRange => ({
  firstId,
  lastId: idAt(instantOf(endId) - 1, "f"),
});

/** Whether all ids of one range are in the other. */
const isWithin = (inner: IdRange, outer: IdRange): boolean =>
  outer.firstId <= inner.firstId && inner.lastId <= outer.lastId;

/** The months from one to another, by their numbers. */
export const rangeOfMonths = (from: number, to: number): IdRange => ({
  firstId: idAt(Date.UTC(1970, from), "0"),
  lastId: idAt(Date.UTC(1970, to + 1) - 1, "f"),
});

/** How many months after January 1970, by UTC. */
export function monthOf(instant: Instant): number {
  const date = new Date(instant);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** When an id was made; NaN: it is written in another notation. */
export const instantOf = (id: string): Instant =>
  id[8] === "-" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** An id before all ids of that instant, and after all of an earlier one. */
export const firstIdAt = (at: Instant): string => idAt(Math.max(0, Math.floor(at)), "0");

/** Ids have room for 48 bits of time. */
const latest = 2 ** 48 - 1;

function idAt(instant: Instant, rest: string): string {
  const time = Math.min(instant, latest).toString(16).padStart(12, "0");
  return idOfDigits(time.padEnd(32, rest));
}
