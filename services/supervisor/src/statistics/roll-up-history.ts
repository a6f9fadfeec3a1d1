import type { Logger } from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";

export type CountingStore = Pick<SupervisorStore, "findStatisticsProgress" | "rollUp">;

/**
 * Milliseconds between two looks whether the history has become longer, and while another
 * Supervisor counts.
 */
const interval = 5_000;
/** Milliseconds between two batches, in which others get the store's attention. */
const pause = 50;
/**
 * Entries: it is logged when the Supervisors have fallen behind by so many, and when they have
 * caught up.
 */
const muchBehind = 100_000;

/**
 * Counts what was added to the history, a batch in each round. Where nothing was added that is one
 * short statement. Resolves to the milliseconds until the next round.
 */
export function rollUpHistory({
  store,
  log,
}: {
  readonly store: CountingStore;
  readonly log: Pick<Logger, "info">;
}): () => Promise<number> {
  let wasBehind = false;
  return async () => {
    const { isDue } = await store.findStatisticsProgress();
    if (!isDue) return interval;
    const { outcome, behind } = await store.rollUp();
    const isBehind = behind > (wasBehind ? 0 : muchBehind);
    if (isBehind !== wasBehind)
      log.info({ behind }, isBehind ? "statistics are behind" : "statistics have caught up");
    wasBehind = isBehind;
    return outcome === "counted" && behind > 0 ? pause : interval;
  };
}
