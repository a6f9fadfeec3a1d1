import { durationText } from "@holdfast/domain";
import { type Finding, fine, wrong } from "./finding.ts";

/**
 * One look at both clocks, in milliseconds since 1970: before the question, the answer, after it.
 */
export interface ClockSample {
  readonly before: number;
  readonly store: number;
  readonly after: number;
}

/** Milliseconds. */
const tolerated = 1_000;

/**
 * Compares this host's clock with the store's. The store's alone decides anything, but logs and
 * traces are read side by side. `advance`: by how many milliseconds `holdfast dev` has advanced it,
 * which the samples leave out.
 */
export function checkClock(samples: readonly ClockSample[], advance = 0): readonly Finding[] {
  const [best] = samples.toSorted((a, b) => roundTrip(a) - roundTrip(b));
  if (best === undefined) return [];
  const skew = best.store - (best.before + best.after) / 2;
  const apart = advance === 0 ? "" : `, apart from the ${durationText(advance)} of holdfast dev`;
  const text = `this host's clock is ${durationText(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"} the store's${apart}`;
  return Math.abs(skew) - roundTrip(best) / 2 > tolerated
    ? [
        wrong(
          "store.clock",
          text,
          "synchronise both by NTP: until then, logs do not tell the order",
        ),
      ]
    : [fine("store.clock", text)];
}

const roundTrip = ({ before, after }: ClockSample): number => after - before;
