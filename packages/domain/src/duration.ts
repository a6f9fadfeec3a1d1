const unitInMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration as people write it: `250ms`, `30s`, `5m`, `2h`, `1d`. */
export type Duration = `${number}${keyof typeof unitInMs}`;

/** The pattern of durations, for schemas. */
export const durationPattern = `^[0-9]{1,12}(${Object.keys(unitInMs).join("|")})$`;

const grammar = new RegExp(durationPattern);

/** Reads a duration, in milliseconds; NaN for a text that is none. */
export function parseDuration(text: string): number {
  const unit = grammar.exec(text)?.[1];
  if (unit === undefined) return Number.NaN;
  return Number(text.slice(0, -unit.length)) * unitInMs[unit as keyof typeof unitInMs];
}

const shownUnits = [
  ["d", unitInMs.d],
  ["h", unitInMs.h],
  ["min", unitInMs.m],
  ["s", unitInMs.s],
] as const;

/** A span of time for people, in one unit: "40 ms", "90 s", "5 min", "3 h". */
export function durationText(ms: number): string {
  const [unit, size] = shownUnits.find(([, one]) => Math.abs(ms) >= 2 * one) ?? ["ms", 1];
  return `${Math.round(ms / size)} ${unit}`;
}

/** How far an instant is from now, for people: "12 s ago", "in 3 h". */
export const distanceText = (at: number, now: number): string =>
  at >= now ? `in ${durationText(at - now)}` : `${durationText(now - at)} ago`;
