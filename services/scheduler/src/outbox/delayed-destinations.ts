import type { Milliseconds } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";

interface Delay {
  readonly failures: number;
  readonly until: Milliseconds;
}

/**
 * Destinations that refused a message or were missing, by name: each is delayed, twice as long each
 * time.
 */
export type Delays = Map<string, Delay>;

interface At {
  readonly now: Milliseconds;
  /** The longest delay. */
  readonly longest: Milliseconds;
}

const firstDelay: Milliseconds = 1_000;

const isDelayed = ({ until }: Delay, now: Milliseconds): boolean => until > now;

/** Delays a destination that failed. */
export function delay(delays: Delays, destination: string, { now, longest }: At): void {
  const known = delays.get(destination);
  // Of one batch many may fail.
  if (known !== undefined && isDelayed(known, now)) return;
  const failures = (known?.failures ?? 0) + 1;
  const rest = Math.min(longest, firstDelay * 2 ** (failures - 1));
  delays.set(destination, { failures, until: now + rest });
}

/** Forgets destinations that were not tried for long after their delay ended. */
export function forgetDelays(delays: Delays, { now, longest }: At): void {
  for (const [destination, { until }] of delays) {
    if (until + longest < now) delays.delete(destination);
  }
}

/** The destinations that are delayed. */
export const delayedNames = (delays: Delays, now: Milliseconds): readonly string[] =>
  [...delays].flatMap(([destination, one]) => (isDelayed(one, now) ? [destination] : []));

/** Destinations that refused a message: each is delayed, twice as long each time. */
export function delayedDestinations(clock: Pick<Clock, "now">, longest: Milliseconds) {
  const delays: Delays = new Map();
  return {
    failed: (destination: string): void =>
      delay(delays, destination, { now: clock.now(), longest }),
    succeeded(destination: string): void {
      delays.delete(destination);
    },
    /** Forgets destinations that were not tried for long after their delay ended. */
    names(): readonly string[] {
      forgetDelays(delays, { now: clock.now(), longest });
      return delayedNames(delays, clock.now());
    },
    /** Milliseconds until one of them is tried again; null when none is delayed. */
    nextIn(): Milliseconds | null {
      const now = clock.now();
      const until = [...delays.values()]
        .filter((one) => isDelayed(one, now))
        .map((one) => one.until);
      return until.length === 0 ? null : Math.min(...until) - now;
    },
  };
}
