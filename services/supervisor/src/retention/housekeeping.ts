import { type Clock, type Logger, repeat, systemClock } from "@holdfast/runtime";
import { dropOldMonths, type ForgettingStore } from "./drop-old-months.ts";
import { makePartitions, type PartitioningStore } from "./make-partitions.ts";

export interface HousekeepingOptions {
  readonly store: ForgettingStore & PartitioningStore;
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
  /** How often it looks for what may go, in milliseconds. */
  readonly interval: number;
}

/** What keeps the store from growing with its past: `once` for cron, `run` until the signal aborts. */
export function housekeeping({ clock = systemClock, ...options }: HousekeepingOptions) {
  const make = makePartitions(options);
  const forget = dropOldMonths({ ...options, clock });
  return {
    async once(signal: AbortSignal): Promise<void> {
      await make();
      await forget(signal);
    },
    /** Resolves after the last round. */
    async run(signal: AbortSignal): Promise<void> {
      const { log } = options;
      const making = repeat(make, { name: "make partitions", signal, log, clock });
      const forgetting = repeat(() => forget(signal), { name: "forget", signal, log, clock });
      await Promise.all([making.ended, forgetting.ended]);
    },
  };
}
