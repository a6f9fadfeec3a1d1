import type { Milliseconds } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";

interface Delay {
  readonly failures: number;
  readonly until: Milliseconds;
}

const firstDelay: Milliseconds = 1_000;

/** Destinations that refused a message: each is delayed, twice as long each time. */
export function delayedDestinations(clock: Pick<Clock, "now">, longest: Milliseconds) {
  const delays = new Map<string, Delay>();
  const isDelayed = ({ until }: Delay): boolean => until > clock.now();
  return {
    failed(destination: string): void {
      const known = delays.get(destination);
      // Of one batch many may fail.
      if (known !== undefined && isDelayed(known)) return;
      const failures = (known?.failures ?? 0) + 1;
      const rest = Math.min(longest, firstDelay * 2 ** (failures - 1));
      delays.set(destination, { failures, until: clock.now() + rest });
    },
    succeeded(destination: string): void {
      delays.delete(destination);
    },
    /** Forgets destinations that were not tried for long after their delay ended. */
    names(): readonly string[] {
      for (const [destination, { until }] of delays) {
        if (until + longest < clock.now()) delays.delete(destination);
      }
      return [...delays].flatMap(([destination, rest]) => (isDelayed(rest) ? [destination] : []));
    },
    /** Milliseconds until one of them is tried again; null when none is delayed. */
    nextIn(): Milliseconds | null {
      const until = [...delays.values()].filter(isDelayed).map((rest) => rest.until);
      return until.length === 0 ? null : Math.min(...until) - clock.now();
    },
  };
}
