import type { Milliseconds } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";

interface Rest {
  readonly failures: number;
  readonly until: Milliseconds;
}

const firstRest: Milliseconds = 1_000;

/** Destinations that refused a message: each is left alone for a while, twice as long each time. */
export function restingDestinations(clock: Pick<Clock, "now">, longest: Milliseconds) {
  const rests = new Map<string, Rest>();
  const isResting = ({ until }: Rest): boolean => until > clock.now();
  return {
    failed(destination: string): void {
      const known = rests.get(destination);
      // Of one batch many may fail.
      if (known !== undefined && isResting(known)) return;
      const failures = (known?.failures ?? 0) + 1;
      const rest = Math.min(longest, firstRest * 2 ** (failures - 1));
      rests.set(destination, { failures, until: clock.now() + rest });
    },
    succeeded(destination: string): void {
      rests.delete(destination);
    },
    /** Forgets those that nobody has tried for long after they might have been. */
    names(): readonly string[] {
      for (const [destination, { until }] of rests) {
        if (until + longest < clock.now()) rests.delete(destination);
      }
      return [...rests].flatMap(([destination, rest]) => (isResting(rest) ? [destination] : []));
    },
    /** Milliseconds until one of them is tried again; null when none rests. */
    nextIn(): Milliseconds | null {
      const until = [...rests.values()].filter(isResting).map((rest) => rest.until);
      return until.length === 0 ? null : Math.min(...until) - clock.now();
    },
  };
}
