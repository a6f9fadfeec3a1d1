import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

export type PartitioningStore = Pick<StateStore, "makePartitions">;

interface Dependencies {
  readonly store: PartitioningStore;
  readonly log: Pick<Logger, "info">;
}

/** Milliseconds. The next month is made as soon as this one has begun, so there is time enough. */
const rest = 3_600_000;

/** Has the store make room for this month and the next. Resolves to how long to rest. */
export function makePartitions({ store, log }: Dependencies) {
  return async (): Promise<number> => {
    const months = await store.makePartitions();
    if (months.length > 0) log.info({ months }, "partitions made");
    return rest;
  };
}
