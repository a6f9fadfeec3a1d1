import type { Clock } from "@holdfast/runtime";

interface Options {
  /** How many calls are made at a time. */
  readonly concurrency: number;
  readonly clock: Pick<Clock, "now">;
}

/**
 * How long the work of one message may take all of us together, in milliseconds. What is in one
 * message cannot be shared with other instances: with long calls, each goes by itself.
 */
const workOfMessage = 1;
const most = 100;

/** Quicker calls have to last. */
const weight = 0.02;
/**
 * A slower one makes calls seem so many times longer at most, and but one of those that were under way
 * together: a pause of our own (a collection of garbage, a core that others have) falls on all of these alike,
 * says nothing of the service, and comes when smaller messages are what we can least afford.
 */
const rise = 4;
/** Milliseconds: of shorter calls, the work of one message is as much as may be. */
const shortest = 0.01;

/** Finds out how many requests are worth having in one message. */
export function pace({ concurrency, clock }: Options) {
  /** Milliseconds of a call; nothing is known at first, so each comes by itself. */
  let typical: number | null = null;
  let risenAt = Number.NEGATIVE_INFINITY;

  const heard = (took: number, begunAt: number): void => {
    typical ??= took;
    if (took <= typical) typical += weight * (took - typical);
    else if (begunAt >= risenAt) {
      typical = Math.min(took, rise * Math.max(typical, shortest));
      risenAt = clock.now();
    }
  };

  return {
    /** A call begins; the answer is to be called when it has come to a good end. */
    begin(): () => void {
      const begunAt = clock.now();
      return () => heard(clock.now() - begunAt, begunAt);
    },
    inOneMessage(): number {
      if (typical === null) return 1;
      const done = (concurrency * workOfMessage) / typical;
      return Math.max(1, Math.min(most, Math.floor(done)));
    },
  };
}
