import {
  type Clock,
  type Logger,
  type Metrics,
  noMetrics,
  repeat,
  systemClock,
} from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";
import { type CountingStore, rollUpHistory } from "../statistics/roll-up-history.ts";
import { batch, deleteInBatches, pause } from "./delete-in-batches.ts";
import { dropOldMonths, type ForgettingStore } from "./drop-old-months.ts";

type SweepingStore = Pick<SupervisorStore, "deleteFreeBusinessKeys">;

export interface HousekeepingOptions {
  readonly store: ForgettingStore &
    SweepingStore &
    PartitioningStore &
    CountingStore &
    ForgettingStatistics;
  readonly log: Logger;
  readonly clock?: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
  /** How often it looks for what may go, in milliseconds. */
  readonly interval: number;
  /** Counts rounds that fail; nothing unless given. */
  readonly metrics?: Metrics;
}

/** Business keys that one statement looks at. */
const keysInSweep = 1_000;
/** Rounds of one kind that a run of cron has at most: what is left is for the next one. */
const mostRounds = 100;
/**
 * The sweep of business keys takes a tenth of the time: at 10 ms for a batch, 10,000 keys a second.
 */
const sweepRestFactor = 9;

/**
 * What keeps the store from growing with its past, and counts what happened: `once` for cron, `run`
 * until the signal aborts.
 */
export function housekeeping({ clock = systemClock, ...options }: HousekeepingOptions) {
  const make = makePartitions(options);
  const forget = dropOldMonths({ ...options, clock });
  /**
   * Deletes the keys of tasks that have ended. The store keeps how far the sweep has come; true:
   * these were the last.
   */
  const sweep = async (): Promise<boolean> =>
    (await options.store.deleteFreeBusinessKeys({ batch: keysInSweep })).isLast;
  const count = rollUpHistory(options);
  return {
    async once(signal: AbortSignal): Promise<void> {
      await make();
      // Before anything is deleted that is not counted yet; so much that it is done soon.
      for (let rounds = 0; rounds < mostRounds && (await count()) < 1_000; rounds += 1);
      for (let rounds = 0; rounds < mostRounds && (await forget(signal)); rounds += 1);
      while (!signal.aborted && !(await sweep()));
      await forgetStatistics({ ...options, clock, signal })();
    },
    /** Resolves after the last round. */
    async run(signal: AbortSignal): Promise<void> {
      const { log, interval, metrics = noMetrics } = options;
      const forgetMore = async () => ((await forget(signal)) ? pause : interval);
      const sweepMore = async () => {
        const from = clock.now();
        return (await sweep()) ? interval : sweepRestFactor * (clock.now() - from);
      };
      const repeated = { signal, log, clock, metrics };
      const making = repeat(make, { name: "make partitions", ...repeated });
      const forgetting = repeat(forgetMore, { name: "forget", ...repeated });
      const old = forgetStatistics({ ...options, clock, signal });
      const deleting = repeat(old, { name: "old statistics", ...repeated });
      const sweeping = repeat(sweepMore, { name: "business keys", ...repeated });
      const counting = repeat(count, { name: "statistics", ...repeated });
      const loops = [making, forgetting, deleting, sweeping, counting];
      await Promise.all(loops.map(({ ended }) => ended));
    },
  };
}

type PartitioningStore = Pick<SupervisorStore, "makePartitions">;

/** Milliseconds. The next month is made as soon as this one has begun, so there is time enough. */
const rest = 3_600_000;

/** Has the store make room for this month and the next. Resolves to how long to rest. */
function makePartitions({
  store,
  log,
}: {
  readonly store: PartitioningStore;
  readonly log: Pick<Logger, "info">;
}) {
  return async (): Promise<number> => {
    const months = await store.makePartitions();
    if (months.length > 0) log.info({ months }, "partitions made");
    return rest;
  };
}

type ForgettingStatistics = Pick<SupervisorStore, "deleteOldStatistics">;

interface Forgetting {
  readonly store: ForgettingStatistics;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Milliseconds. The shortest time that counts are kept is three days. */
const statisticsInterval = 3_600_000;

/**
 * Deletes counts and groups of failures that are past their time. Resolves to how long to interval.
 */
const forgetStatistics =
  ({ store, ...ending }: Forgetting) =>
  async (): Promise<number> => {
    const { isPartial } = await deleteInBatches(() => store.deleteOldStatistics({ batch }), ending);
    return isPartial ? pause : statisticsInterval;
  };
