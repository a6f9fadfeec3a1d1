import type { Milliseconds } from "../workflow-definition.ts";

/**
 * How many durations fell into each bucket. Bucket k ends at 2^(k/4) ms, so a quantile is at most
 * 10 % wrong, whatever the durations. Histograms are added bucket by bucket: an hour is the sum of
 * its minutes.
 */
export type DurationHistogram = readonly number[];

/** The last bucket takes all that is longer: 97 days and more. */
export const durationBuckets = 132;

/** Which bucket a duration belongs to. */
export function durationBucket(ms: Milliseconds): number {
  if (!(ms > 1)) return 0;
  // An exact power of two must not fall into the next bucket by a rounding error.
  return Math.min(durationBuckets - 1, Math.ceil(4 * Math.log2(ms) - 1e-9));
}

/** The sum of two histograms; the longer one says how long it is. */
export function addHistograms(one: DurationHistogram, other: DurationHistogram): number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, bucket) => (one[bucket] ?? 0) + (other[bucket] ?? 0));
}

/** A histogram with one more duration. */
export function addDuration(histogram: DurationHistogram, ms: Milliseconds): number[] {
  const bucket = durationBucket(ms);
  const added = Array.from(
    { length: Math.max(histogram.length, bucket + 1) },
    (_, place) => histogram[place] ?? 0,
  );
  added[bucket] = (added[bucket] ?? 0) + 1;
  return added;
}

/**
 * The duration (ms) that a part of all durations does not exceed: the middle of its bucket. Null:
 * there are none.
 */
export function quantileOf(histogram: DurationHistogram, part: number): Milliseconds | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(part * total));
  let seen = 0;
  const bucket = histogram.findIndex((count) => (seen += count) >= rank);
  return bucket <= 0 ? 1 : Math.round(2 ** ((bucket - 0.5) / 4));
}
