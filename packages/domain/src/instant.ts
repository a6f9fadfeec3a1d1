import { parseDuration } from "./duration.ts";
import type { Instant } from "./step.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/**
 * A point in time as it is asked for: an instant, or so long from when it is read by the clock of
 * what reads it.
 */
export type When = Instant | { readonly fromNow: Milliseconds };

const grammar =
  /^(?!0000)(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const [minute, hour] = [60_000, 3_600_000];

/**
 * The instant that a text of RFC 3339 says, with its zone, of which more than milliseconds is left
 * out; NaN for a text that says none. A day that does not exist is none, as 30 February, and
 * neither is a leap second: both would be another instant than the one that was written.
 */
export function parseInstant(text: string): number {
  const found = grammar.exec(text);
  if (found === null) return Number.NaN;
  const part = (group: number): number => Number(found[group] ?? 0);
  // Not `Date.UTC`, for which the years to 99 are those from 1900.
  const date = new Date(0);
  date.setUTCFullYear(part(1), part(2) - 1, part(3));
  if (date.getUTCMonth() !== part(2) - 1 || date.getUTCDate() !== part(3)) return Number.NaN;
  const fraction = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const ahead = (part(9) * hour + part(10) * minute) * (found[8] === "-" ? -1 : 1);
  return date.getTime() + part(4) * hour + part(5) * minute + part(6) * 1_000 + fraction - ahead;
}

/**
 * Reads an instant, or a duration from now on (`+1h`) or back (`-90m`); null for a text that is
 * neither.
 */
export function parseWhen(text: string): When | null {
  const sign = text[0];
  if (sign !== "+" && sign !== "-") {
    const at = parseInstant(text);
    return Number.isNaN(at) ? null : at;
  }
  const ms = parseDuration(text.slice(1));
  return Number.isNaN(ms) ? null : { fromNow: sign === "+" ? ms : -ms };
}

/** The instant that is meant by a clock that says `now`. */
export const resolveWhen = (when: When, now: Instant): Instant =>
  typeof when === "number" ? when : now + when.fromNow;

/** What is said of a text that `parseWhen` cannot read. */
export const whenWords =
  "must be an instant with its zone, such as 2026-11-24T10:00:00Z, or a time from now, such as +1h";
