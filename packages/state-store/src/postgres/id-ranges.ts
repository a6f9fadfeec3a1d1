import { type Instant, idOfDigits } from "@holdfast/domain";

/**
 * The ids from one to another, both among them. Ids begin with their time, and tasks and steps are kept by
 * month: a statement that says between which ids it looks is planned for these months and no others.
 */
export interface IdRange {
  readonly firstId: string;
  readonly lastId: string;
}

export const allIds: IdRange = {
  firstId: "00000000-0000-0000-0000-000000000000",
  lastId: "ffffffff-ffff-ffff-ffff-ffffffffffff",
};

declare const madeByActivePartitions: unique symbol;

/**
 * `PlannedRange` is a range that may become part of a statement. `ActivePartitions` alone makes them: each is a
 * text, a plan and a prepared statement on each connection, so there are as many as months with partitions, and
 * no id from outside adds one.
 */
export type PlannedRange = IdRange & { readonly [madeByActivePartitions]: true };

/** The ids from one on and before another, which is the first of a month. */
export const idsBetween = (firstId: string, endId: string): IdRange => ({
  firstId,
  lastId: idAt(instantOf(endId) - 1, "f"),
});

/** Whether all ids of one range are in the other. */
export const isWithin = (inner: IdRange, outer: IdRange): boolean =>
  outer.firstId <= inner.firstId && inner.lastId <= outer.lastId;

/** The months from one to another, by their numbers. */
export const rangeOfMonths = (from: number, to: number): IdRange => ({
  firstId: idAt(Date.UTC(1970, from), "0"),
  lastId: idAt(Date.UTC(1970, to + 1) - 1, "f"),
});

/** How many months after January 1970, by UTC. */
export function monthOf(instant: Instant): number {
  const date = new Date(instant);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** When an id was made; NaN: it is written in another notation. */
export const instantOf = (id: string): Instant =>
  id[8] === "-" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** An id before all ids of that instant, and after all of an earlier one. */
export const firstIdAt = (at: Instant): string => idAt(Math.max(0, Math.floor(at)), "0");

/** Ids have room for 48 bits of time. */
const latest = 2 ** 48 - 1;

function idAt(instant: Instant, rest: string): string {
  const time = Math.min(instant, latest).toString(16).padStart(12, "0");
  return idOfDigits(time.padEnd(32, rest));
}
