import type { Instant } from "@holdfast/domain";

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

/**
 * The month of these tasks, or the two, as it is about the turn of one. Of more it is all: each range is a
 * text, a plan and a prepared statement of its own, and there are to be few.
 */
export function monthsOf(taskIds: readonly string[]): IdRange {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const taskId of taskIds) {
    const instant = instantOf(taskId);
    // Written otherwise, which is for the store to understand.
    if (Number.isNaN(instant)) return allIds;
    first = Math.min(first, instant);
    last = Math.max(last, instant);
  }
  if (last < first) return allIds;
  const from = monthOf(first);
  const to = monthOf(last);
  return to - from > 1 ? allIds : { firstId: firstIdOf(from), lastId: lastIdBefore(to + 1) };
}

/** From one on and before another, which is the first of a month. */
export const idsBetween = (firstId: string, endId: string): IdRange => ({
  firstId,
  lastId: idAt(instantOf(endId) - 1, "f"),
});

/** Whether all ids of one range are in the other. */
export const isWithin = (inner: IdRange, outer: IdRange): boolean =>
  outer.firstId <= inner.firstId && inner.lastId <= outer.lastId;

/** How many months after January 1970, by UTC. */
function monthOf(instant: Instant): number {
  const date = new Date(instant);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

const instantOf = (id: string): Instant =>
  id[8] === "-" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;

/** Before all ids of that instant, and after all of an earlier one. */
export const firstIdAt = (at: Instant): string => idAt(Math.max(0, Math.floor(at)), "0");

const firstIdOf = (month: number): string => idAt(Date.UTC(1970, month), "0");
const lastIdBefore = (month: number): string => idAt(Date.UTC(1970, month) - 1, "f");

/** Ids have room for 48 bits of time. */
const latest = 2 ** 48 - 1;

function idAt(instant: Instant, rest: string): string {
  const time = Math.min(instant, latest).toString(16).padStart(12, "0");
  return time.padEnd(32, rest).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
