import type { Instant, Milliseconds } from "@holdfast/domain";

/** What a search from the very beginning came to, as the store saw it. */
export interface Look {
  /** How many entries of indexes it read. */
  readonly passed: number;
  readonly took: Milliseconds;
  /** The store's clock. */
  readonly now: Instant;
}

export type Looks = ReturnType<typeof pastLooks>;

/** From so many entries on, most of them belong to dead rows that somebody's snapshot keeps. */
const crowd = 5_000;
/** Milliseconds. What a transaction adds is found at once if it commits no later than that. */
export const lateness = 2_000;
/** Looks take a tenth of the time at most. */
const restFactor = 9;
const ever = Number.NEGATIVE_INFINITY;

/**
 * Says from which instant on an index is to be searched that is in the order of time. From the beginning,
 * as long as that is cheap. Otherwise what is new since the last look; everything again once that has rested.
 */
export function pastLooks(clock: () => number = () => performance.now()) {
  let recent = ever;
  let restsUntil = ever;
  return {
    /** Minus infinity: from the beginning, and then `saw` is to be told. */
    since: (): Instant => (clock() < restsUntil ? recent : ever),
    /** Resolves to the instant from which on there may be more than was seen; minus infinity: do not care. */
    saw({ passed, took, now }: Look): Instant {
      const isCrowded = passed >= crowd;
      recent = isCrowded ? now - lateness : ever;
      restsUntil = isCrowded ? clock() + restFactor * took : ever;
      return recent;
    },
  };
}
