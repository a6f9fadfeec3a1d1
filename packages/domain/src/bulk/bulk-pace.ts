import type { Instant } from "../step.ts";
import type { Milliseconds } from "../workflow-definition.ts";

/** The rate of a bulk operation. It stands with the operation, so all Supervisors share it. */
export interface BulkPace {
  /** Items a second. */
  readonly rate: number;
  /** All before that instant is used up. */
  readonly pacedFrom: Instant;
  readonly now: Instant;
}

/** What was not used counts for a second at most: after an outage there is no burst. */
const longestCredit: Milliseconds = 1_000;

const perItem = (rate: number): Milliseconds => 1_000 / rate;

/**
 * The instant from which the rate of a new operation counts: its first item may be applied at once.
 */
export const firstPacedFrom = (rate: number, now: Instant): Instant => now - perItem(rate);

/** No rate is used up in advance: the clock was set back, and the rate begins anew. */
const pacedSince = ({ rate, pacedFrom, now }: BulkPace): Instant =>
  pacedFrom - now > perItem(rate) ? firstPacedFrom(rate, now) : pacedFrom;

const begin = (pace: BulkPace): Instant =>
  Math.max(pacedSince(pace), pace.now - Math.max(longestCredit, perItem(pace.rate)));

/** How many items may be applied now. */
export const bulkAllowance = (pace: BulkPace): number =>
  // Instants of the store have fractions: a thousandth of an item is none.
  Math.max(0, Math.floor((pace.now - begin(pace)) / perItem(pace.rate) + 0.001));

/** The instant from which the rate counts once so many were applied. */
export const pacedAfter = (pace: BulkPace, applied: number): Instant =>
  applied === 0 ? pace.pacedFrom : begin(pace) + applied * perItem(pace.rate);

/** How long until the next item may be applied. */
export const nextItemIn = (pace: BulkPace): Milliseconds =>
  Math.max(0, pacedSince(pace) + perItem(pace.rate) - pace.now);
