import { percentile } from "@holdfast/load";
import type { FaultEvent, TaskRow } from "./evidence.ts";

/** How long the orders took to end that faults of one class found under way. */
export interface Recovery {
  /** Milliseconds from the fault until what it broke was whole again, one for each fault. */
  readonly outages: readonly number[];
  /** Milliseconds, one for each order that was under way when recovery began. */
  readonly times: readonly number[];
}

/** Percentiles in milliseconds. */
interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface RecoverySummary extends Percentiles {
  readonly faults: number;
  readonly struck: number;
  readonly outage: Percentiles;
}

export const summarise = ({ outages, times }: Recovery): RecoverySummary => ({
  faults: outages.length,
  outage: percentilesOf(outages),
  struck: times.length,
  ...percentilesOf(times),
});

const percentilesOf = (times: readonly number[]): Percentiles => {
  const at = (share: number): number =>
    times.length === 0 ? 0 : Math.round(percentile(times, share));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
};

/**
 * How long each order that was under way still took, by class of faults. It counts from the fault
 * where others can take over at once, such as after a kill; from its end where nothing can go on
 * before, such as without a store. Where faults overlap, each is charged with the delays of all.
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
      const times = own.flatMap(({ recoverFrom }) => timesToEnd(tasks, recoverFrom));
      return [name, { outages: own.map(({ from, healedAt }) => healedAt - from), times }];
    }),
  );
}

const timesToEnd = (tasks: readonly TaskRow[], from: number): readonly number[] =>
  tasks.flatMap(({ createdAt, finishedAt }) =>
    createdAt < from && finishedAt !== null && finishedAt > from ? [finishedAt - from] : [],
  );
