import { pick, shuffled } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

/** A fault that is to come. */
export interface PlannedFault {
  /** Milliseconds after the first order. */
  readonly at: number;
  readonly fault: FaultClass;
}

interface Options {
  readonly classes: readonly FaultClass[];
  readonly faults: number;
  /** Over how long they are spread, in milliseconds. */
  readonly duration: number;
  readonly random: () => number;
}

/** Each class comes at least once, and after that as often as its weight says. */
export function planFaults({
  classes,
  faults,
  duration,
  random,
}: Options): readonly PlannedFault[] {
  const lots = classes.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  const more = Array.from({ length: Math.max(0, faults - classes.length) }, () =>
    pick(lots, random),
  );
  const all = shuffled([...classes, ...more], random);
  const gap = duration / all.length;
  // Never sooner after one another than half of that, so that most have healed before the next.
  return all.map((fault, index) => ({ at: Math.round((index + random() / 2) * gap), fault }));
}
