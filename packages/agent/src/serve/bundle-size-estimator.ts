import type { Clock } from "@holdfast/runtime";

interface EstimatorOptions {
  /** How many calls run at the same time. */
  readonly concurrency: number;
  readonly clock: Pick<Clock, "now">;
}

export interface BundleSizeEstimator {
  /** Measures one call; call the result when the call has succeeded. */
  begin(): () => void;
  /** How many requests the next message should carry at most. */
  bundleSize(): number;
}

/**
 * How long all slots together may work on one message, in milliseconds. Other instances cannot
 * share the requests of one message, so an Agent with long calls takes each request by itself.
 */
const workPerMessage = 1;
const largestBundle = 100;

/** The weight of a call that is faster than the average: an Agent has to stay fast for a while. */
const weight = 0.02;
/**
 * A slower call raises the average at most by this factor, and only one of the calls that
 * overlapped. A pause of this process (garbage collection, a busy core) delays all of them alike,
 * says nothing about the remote service, and comes when smaller messages would do the most harm.
 */
const largestRise = 4;
/** Milliseconds. Calls shorter than this count as this long. */
const shortestCall = 0.01;

/** Estimates how many requests should share a message, from how long recent calls took. */
export function bundleSizeEstimator({ concurrency, clock }: EstimatorOptions): BundleSizeEstimator {
  /** The average duration of a call in milliseconds; null before the first one. */
  let average: number | null = null;
  let risenAt = Number.NEGATIVE_INFINITY;

  const record = (duration: number, begunAt: number): void => {
    average ??= duration;
    if (duration <= average) average += weight * (duration - average);
    else if (begunAt >= risenAt) {
      average = Math.min(duration, largestRise * Math.max(average, shortestCall));
      risenAt = clock.now();
    }
  };

  return {
    begin() {
      const begunAt = clock.now();
      return () => record(clock.now() - begunAt, begunAt);
    },
    bundleSize() {
      if (average === null) return 1;
      const calls = (concurrency * workPerMessage) / average;
      return Math.max(1, Math.min(largestBundle, Math.floor(calls)));
    },
  };
}
