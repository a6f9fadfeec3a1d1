import type { Instant, Milliseconds } from "@holdfast/domain";
import type { WakeReason } from "@holdfast/messaging";

/** What a Scheduler knows of the waits of all tasks. */
export interface Waits {
  /**
   * What the store's clock said last, and when that was by the Scheduler's own, which does not
   * jump; null: not yet.
   */
  clock: { readonly now: Instant; readonly at: Milliseconds } | null;
  /** When its next round begins, in which it ends waits whose time has come. */
  nextRoundAt: Milliseconds;
  /** Whether a stored workflow has waits. */
  areUsed: boolean;
}

/** What a Scheduler sees of waits. */
export type WaitObservation =
  /** A round has ended waits whose time had come. */
  | {
      readonly kind: "waitsSeen";
      readonly clock: Instant;
      /** Milliseconds until the next deadline; null: nothing waits. */
      readonly nextIn: Milliseconds | null;
      readonly areUsed: boolean;
      /** Whether steps may be due by it. */
      readonly hasFired: boolean;
    }
  /** A step began to wait, for so long. */
  | { readonly kind: "waitOpened"; readonly in: Milliseconds }
  /**
   * Another process says that there is something to claim, where something may wait as well, or
   * that waits have ended.
   */
  | { readonly kind: "hinted"; readonly due: WakeReason };

/** The longest time between two rounds: another process may have begun a wait. */
const roundEvery: Milliseconds = 5_000;
/** The longest time while no stored workflow has waits, until a process gives a hint. */
const roundEveryUnused: Milliseconds = 60_000;
/** The time between a hint and the round that follows: further hints come meanwhile. */
const roundAfterHint: Milliseconds = 100;
/** The time between two rounds that follow hints of waits that have ended. */
const roundAfterRound: Milliseconds = 5;

export const newWaits = (): Waits => ({
  clock: null,
  nextRoundAt: 0,
  areUsed: false,
});

/** What the store's clock must say now, if it has not jumped; null: unknown. */
export const expectedClock = ({ clock }: Waits, now: Milliseconds): Instant | null =>
  clock === null ? null : clock.now + (now - clock.at);

export function noteRound(
  waits: Waits,
  { clock, nextIn, areUsed }: Extract<WaitObservation, { kind: "waitsSeen" }>,
  now: Milliseconds,
): void {
  waits.clock = { now: clock, at: now };
  waits.areUsed = areUsed;
  const longest = areUsed ? roundEvery : roundEveryUnused;
  waits.nextRoundAt = now + Math.min(nextIn ?? longest, longest);
}

/**
 * Notes a hint. Returns in how many milliseconds a round has to begin by it; null: by no other time
 * than before. One of steps may be of the first workflow that has waits, where none is known to.
 */
export function noteHint(waits: Waits, due: WakeReason, now: Milliseconds): Milliseconds | null {
  if (due === "waits") {
    waits.nextRoundAt = Math.max(now, (waits.clock?.at ?? 0) + roundAfterRound);
    return waits.nextRoundAt - now;
  }
  if (waits.areUsed) return roundAfterHint;
  const roundAt = (waits.clock?.at ?? now) + roundEvery;
  if (waits.nextRoundAt <= roundAt) return null;
  waits.nextRoundAt = Math.max(now, roundAt);
  return waits.nextRoundAt - now;
}

/** Notes that a step waits for so long. Returns whether that is over before the next round. */
export function noteOpened(waits: Waits, ms: Milliseconds, now: Milliseconds): boolean {
  if (now + ms >= waits.nextRoundAt) return false;
  waits.nextRoundAt = now + ms;
  return true;
}
