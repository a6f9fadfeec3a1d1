/** In milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Of at least one time; the smallest one that is not below the given part of all. */
export function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): number => {
    const place = Math.max(0, Math.ceil(part * sorted.length) - 1);
    return Math.round(sorted[place] ?? 0);
  };
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
