import type { Wait } from "./types.ts";

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * The milliseconds of a duration. Throws a `RangeError` for what is none. It reads what
 * `parseDuration` of the domain reads: browsers load the client without any other package.
 */
export function toMilliseconds(wait: Wait): number {
  if (typeof wait === "number" && wait >= 0) return wait;
  const [, count, unit] = /^([0-9]{1,12})(ms|s|m|h|d)$/.exec(String(wait)) ?? [];
  if (count === undefined) {
    throw new RangeError(`${String(wait)} is no duration: write it as 500ms, 30s, 5m, 1h or 1d`);
  }
  return Number(count) * units[unit as keyof typeof units];
}
