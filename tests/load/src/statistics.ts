/** The smallest value that at least this share of the values does not exceed. NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  min: Math.min(...values),
  median: median(values),
  max: Math.max(...values),
});

/**
 * How many times as large the first is, by the median over the rounds of each round's own ratio:
 * what slows a machine down for a while slows both down, and cancels out.
 */
export function medianOfRatios<Round>(
  rounds: readonly Round[],
  pairOf: (round: Round) => readonly [number, number],
): number {
  return median(
    rounds.map((round) => {
      const [first, second] = pairOf(round);
      return first / second;
    }),
  );
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Rounded to so many digits behind the point. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
