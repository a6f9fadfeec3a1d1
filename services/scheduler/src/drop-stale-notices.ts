import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "deleteStaleNotices">;
  readonly log: Pick<Logger, "warn">;
}

/** Milliseconds. */
const rest = 600_000;

/** Gives up notices that nobody could send for a day or longer. Resolves to how long to rest. */
export function dropStaleNotices({ store, log }: Dependencies) {
  return async (): Promise<number> => {
    const notices = await store.deleteStaleNotices();
    if (notices === 0) return rest;
    log.warn({ notices }, "stale notifications deleted");
    return 0;
  };
}
