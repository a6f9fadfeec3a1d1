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
  /** Milliseconds over which they are spread. */
  readonly duration: number;
  readonly random: () => number;
}

/** The last part of a run, in which no class comes for the first time. */
const late = 1 / 4;

/**
 * Each class comes at least once, and after that as often as its weight says; once before the end
 * draws near, as on a slow machine faults are late, and may find no order that they could strike.
 */
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
  const atTheEnd = more.splice(0, Math.floor(faults * late));
  const all = [...shuffled([...classes, ...more], random), ...atTheEnd];
  const gap = duration / all.length;
  // Never sooner after one another than half of that, so that most have healed before the next.
  return all.map((fault, index) => ({ at: Math.round((index + random() / 2) * gap), fault }));
}
