import type { Logger } from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SupervisorStore, "readClock">;
  readonly log: Pick<Logger, "info" | "error">;
}

/** Checks whether the store's clock has jumped ahead, and logs when that changes. The store deletes nothing meanwhile. */
export function clockGuard({ store, log }: Dependencies): () => Promise<void> {
  let aheadSince: number | null = null;

  return async () => {
    const known = aheadSince;
    aheadSince = await store.readClock();
    if (aheadSince === known) return;
    if (aheadSince === null) log.info("store clock is trusted again");
    else {
      const since = new Date(aheadSince).toISOString();
      log.error(
        { since },
        "store clock is ahead of the last look: nothing more is deleted for a day",
      );
    }
  };
}
