import { type Clock, type Logger, repeat, systemClock } from "@holdfast/runtime";
import { type ForgettingStatistics, forgetStatistics } from "../statistics/forget-statistics.ts";
import { type CountingStore, rollUpHistory } from "../statistics/roll-up-history.ts";
import { dropOldMonths, type ForgettingStore } from "./drop-old-months.ts";
import { makePartitions, type PartitioningStore } from "./make-partitions.ts";

export interface HousekeepingOptions {
  readonly store: ForgettingStore & PartitioningStore & CountingStore & ForgettingStatistics;
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
  /** How often it looks for what may go, in milliseconds. */
  readonly interval: number;
}

/** What keeps the store from growing with its past, and counts what happened: `once` for cron, `run` until the signal aborts. */
export function housekeeping({ clock = systemClock, ...options }: HousekeepingOptions) {
  const make = makePartitions(options);
  const forget = dropOldMonths({ ...options, clock });
  const count = rollUpHistory(options);
  return {
    async once(signal: AbortSignal): Promise<void> {
      await make();
      // Before anything is deleted that is not counted yet; so much that it is done soon.
      for (let rounds = 0; rounds < 100 && (await count()) < 1_000; rounds += 1);
      await forget(signal);
      await forgetStatistics({ ...options, clock, signal })();
    },
    /** Resolves after the last round. */
    async run(signal: AbortSignal): Promise<void> {
      const { log } = options;
      const making = repeat(make, { name: "make partitions", signal, log, clock });
      const forgetting = repeat(() => forget(signal), { name: "forget", signal, log, clock });
      const old = forgetStatistics({ ...options, clock, signal });
      const deleting = repeat(old, { name: "old statistics", signal, log, clock });
      const counting = repeat(count, { name: "statistics", signal, log, clock });
      await Promise.all([making, forgetting, deleting, counting].map(({ ended }) => ended));
    },
  };
}
