import type { Milliseconds } from "@holdfast/domain";
import { allIds, type IdRange, idsBetween } from "./id-ranges.ts";
import { type Database, query } from "./query.ts";

const find = query<object, { firstId: string; endId: string }>("find-busy-months");

export type BusyMonths = ReturnType<typeof busyMonths>;

/** So long an old month may go unseen in which something is to be done again. */
const looksEvery: Milliseconds = 30_000;
/** Shorter than the minute by which the store names the next month in advance. */
const lasts: Milliseconds = 45_000;

/**
 * Says in which months there may be something to do, so that who searches passes over all others: as of a
 * moment ago; all, while that is not known.
 */
export function busyMonths(db: Database, clock: () => Milliseconds = () => performance.now()) {
  let range = allIds;
  let seenAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const begun = clock();
    askedAt = begun;
    const [found] = await find(db, {});
    seenAt = begun;
    range = found === undefined ? allIds : idsBetween(found.firstId, found.endId);
  };
  return {
    range(): IdRange {
      // Nobody waits for the look, nor for another one should it fail.
      if (clock() - askedAt >= looksEvery) look().catch(() => {});
      return clock() - seenAt < lasts ? range : allIds;
    },
  };
}
