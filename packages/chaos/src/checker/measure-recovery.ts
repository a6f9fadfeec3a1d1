import type { FaultEvent, TaskRow } from "./evidence.ts";
import { type Percentiles, percentilesOf } from "./percentiles.ts";

/** How long the orders took to end that a fault of one class found under way. */
export interface Recovery extends Percentiles {
  readonly faults: number;
  /** Orders that were under way when what was broken was whole again. */
  readonly struck: number;
}

/**
 * For each class of faults: from the moment when what was broken was whole again until the end of
 * each order that was under way at that moment. A kill counts as whole again at once: the others go
 * on. Where faults overlap, each is charged with the delays of all.
 */
export function measureRecovery(
  faults: readonly FaultEvent[],
  tasks: readonly TaskRow[],
): Readonly<Record<string, Recovery>> {
  const byClass = Map.groupBy(
    faults.filter(({ error }) => error === null),
    (fault) => fault.class,
  );
  return Object.fromEntries(
    [...byClass].map(([name, own]) => {
      const times = own.flatMap(({ healedAt }) => timesToEnd(tasks, healedAt));
      return [name, { faults: own.length, struck: times.length, ...percentilesOf(times) }];
    }),
  );
}

const timesToEnd = (tasks: readonly TaskRow[], from: number): readonly number[] =>
  tasks.flatMap(({ createdAt, finishedAt }) =>
    createdAt < from && finishedAt !== null && finishedAt > from ? [finishedAt - from] : [],
  );
