import type { Clock } from "@holdfast/runtime";

/** A time in which no reply could arrive; on our monotonic clock, in milliseconds. */
interface Outage {
  readonly from: number;
  to: number;
}

const remembered = 20;

/** Remembers the last outages. Only the last one may still last. */
export function outageLog(clock: Pick<Clock, "now">) {
  const outages: Outage[] = [];

  const remember = (outage: Outage): void => {
    outages.push(outage);
    if (outages.length > remembered) outages.shift();
  };

  return {
    /** An outage lasts from now on, unless one does already. */
    began(): void {
      const last = outages.at(-1);
      if (last !== undefined && last.to === Number.POSITIVE_INFINITY) return;
      remember({ from: clock.now(), to: Number.POSITIVE_INFINITY });
    },
    /** No outage lasts any more. */
    ended(): void {
      const last = outages.at(-1);
      if (last !== undefined) last.to = Math.min(last.to, clock.now());
    },
    /** There was an outage for the last `lasted` milliseconds. Extends the one that it overlaps. */
    lasted(lasted: number): void {
      const now = clock.now();
      const last = outages.at(-1);
      if (last !== undefined && last.to >= now - lasted) last.to = Math.max(last.to, now);
      else remember({ from: now - lasted, to: now });
    },
    /** Whether an outage fell between two instants of our monotonic clock. */
    overlaps: (begin: number, end: number): boolean =>
      outages.some(({ from, to }) => from < end && to > begin),
  };
}
