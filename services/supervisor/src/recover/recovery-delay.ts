import type { Clock, Logger } from "@holdfast/runtime";

interface DelayOptions {
  /** How long to hold back, in milliseconds. */
  readonly recoveryDelay: number;
  readonly log: Pick<Logger, "warn">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Scans that are further apart than they meant to be, by this much, missed an outage between them.
 */
const gap = 2_000;

/**
 * Holds recovery back for a while after an outage, and after a start: replies waited it out as
 * well, and must not be taken for silence because the Supervisor came back first.
 */
export function delayRecovery({ recoveryDelay, log, clock }: DelayOptions) {
  let expectedAt = Number.NEGATIVE_INFINITY;
  let heldUntil = 0;
  return {
    /**
     * Is called after each successful scan of the store. Returns how long to delay recovery: 0, not
     * at all.
     */
    holdFor(): number {
      const now = clock.now();
      if (now - expectedAt > gap) {
        heldUntil = now + recoveryDelay;
        log.warn({ recoveryDelay }, "recovery delayed");
      }
      const hold = Math.max(0, heldUntil - now);
      expectedAt = now + hold;
      return hold;
    },
    /** The next look is due in so many milliseconds. */
    next(rest: number): void {
      expectedAt = clock.now() + rest;
    },
  };
}

export type RecoveryDelay = ReturnType<typeof delayRecovery>;
