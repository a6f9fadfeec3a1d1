import { median } from "@holdfast/load";

/** The median of a sample, and between which values that of all cases lies. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** How sure the interval is at least. */
const confidence = 0.95;

/** Values below which even the smallest and the largest of them are not sure enough. */
export const fewestValues = 6;

/**
 * The interval that holds the median with 95 % confidence, whatever the distribution of the values.
 * Each value is below the true median with probability one half, so how many are below it follows
 * the binomial distribution; the ends are two of the values, counted from both sides. Throws for
 * fewer than six values.
 */
export function medianInterval(values: readonly number[]): MedianInterval {
  const n = values.length;
  if (n < fewestValues) throw new Error(`An interval needs ${fewestValues} values, and not ${n}`);
  const sorted = values.toSorted((a, b) => a - b);
  const outside = valuesOutside(n);
  return {
    median: median(sorted),
    low: sorted[outside] ?? Number.NaN,
    high: sorted[n - 1 - outside] ?? Number.NaN,
  };
}

/** How many of the values at each end lie outside of the interval. */
function valuesOutside(n: number): number {
  /** Probability that exactly, and that at most so many values lie below the median. */
  let exactly = 0.5 ** n;
  let atMost = exactly;
  let outside = 0;
  while (2 * atMost <= 1 - confidence) {
    outside += 1;
    exactly *= (n - outside + 1) / outside;
    atMost += exactly;
  }
  return outside - 1;
}
