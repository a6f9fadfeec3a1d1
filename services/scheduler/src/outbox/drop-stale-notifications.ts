import type { Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "deleteStaleNotifications">;
  readonly log: Pick<Logger, "warn">;
}

/** Milliseconds. */
const delay = 600_000;

/** Deletes notifications that could not be sent for a day. Resolves to the delay until the next round. */
export function dropStaleNotifications({ store, log }: Dependencies) {
  return async (): Promise<number> => {
    const notifications = await store.deleteStaleNotifications();
    if (notifications === 0) return delay;
    log.warn({ notifications }, "stale notifications deleted");
    return 0;
  };
}
