import type { Dice } from "./dice.ts";

/** Milliseconds since 1970 at which a `Date` ends. */
const lastInstant = 8.64e15;

/**
 * Instants long ago, to come, at the ends of what a `Date` and Postgres hold, and texts that are
 * none.
 */
const instants = [
  "1970-01-01T00:00:00Z",
  "1969-12-31T23:59:59.999Z",
  "0001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "-004713-11-23T00:00:00Z",
  "-271821-04-20T00:00:00.000Z",
  "-271821-04-19T23:59:59.999Z",
  "+275760-09-13T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "9999-12-31T23:59:59.999Z",
  "+294277-01-01T00:00:00Z",
  "2020-02-29T23:59:60Z",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-11-27T24:00:00Z",
  "2026-11-27T25:00:00Z",
  "2026-11-27T10:00:00+14:00",
  "2026-11-27T10:00:00-12:00",
  "2026-11-27T10:00:00+99:99",
  "2026-11-27T10:00:00+23:59",
  "2026-11-27T10:00:00.123456789123456789Z",
  "2026-11-27 10:00:00",
  "2026-11-27",
  "27/11/2026",
  "Fri, 27 Nov 2026 10:00:00 GMT",
  "infinity",
  "-infinity",
  "now",
  "epoch",
  "tomorrow",
  "allballs",
  "1",
  "-1",
  "",
  "NaN",
  "Invalid Date",
  "\\u0000",
  "2026-11-27T10:00:00Z\\u0000",
] as const;

/** Milliseconds and seconds, as they are written. */
const numbers = [
  "0",
  "-0",
  "-1",
  "1",
  "1.5",
  "86400000",
  "31536000000",
  "2147483647",
  "2147483648",
  "4294967296",
  "253402300799999",
  "253402300800000",
  `${lastInstant}`,
  `${lastInstant + 1}`,
  `-${lastInstant}`,
  "9007199254740991",
  "9223372036854775807",
  "1e300",
  "null",
] as const;

/** An instant as it is written in JSON: mostly a text, now and then a number. */
const oddInstant = (dice: Dice): string =>
  dice.oneIn(4) ? dice.pick(numbers) : `"${dice.pick(instants)}"`;
/** A duration as it is written in JSON: mostly a number, now and then a text. */
const oddDuration = (dice: Dice): string =>
  dice.oneIn(6) ? `"${dice.pick(instants)}"` : dice.pick(numbers);
/** An instant as a header or a query has it. */
export const oddText = (dice: Dice): string =>
  dice.oneIn(5) ? dice.pick(numbers) : dice.pick(instants).replaceAll("\\u0000", "\u0000");

/** A timestamp of AMQP, in seconds of 64 bits. */
export const oddTimestamp = (dice: Dice): number =>
  dice.pick([0, 1, 2 ** 31, 2 ** 32, 2 ** 48, 8.64e12, 8.64e12 + 1, 2 ** 53 - 1]);

/** Names under which messages and requests say when, and for how long. */
const instantNames: ReadonlySet<string> = new Set([
  '"completeBy"',
  '"notBefore"',
  '"at"',
  '"createdAt"',
  '"createdFrom"',
  '"createdUntil"',
]);
const durationNames: ReadonlySet<string> = new Set([
  '"workMs"',
  '"extendMs"',
  '"runningMs"',
  '"retryAfterMs"',
  '"openForMs"',
  '"everyMs"',
  '"startWithin"',
  '"completeWithin"',
]);

/**
 * What to write under a name, as it is written, that says when or for how long; null: it says
 * neither.
 */
export function oddTimeFor(name: string, dice: Dice): string | null {
  if (instantNames.has(name)) return oddInstant(dice);
  return durationNames.has(name) ? oddDuration(dice) : null;
}

export const timeNames: readonly string[] = [...instantNames, ...durationNames];
