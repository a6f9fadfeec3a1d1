import type { Clock, Logger } from "@holdfast/runtime";
import type { OldMonth, StateStore } from "@holdfast/state-store";
import { clockGuard } from "./clock-guard.ts";
import { deleteBusinessKeys } from "./delete-business-keys.ts";
import { batch, deleteInBatches } from "./delete-in-batches.ts";
import { deleteMessages } from "./delete-messages.ts";

export type ForgettingStore = Pick<
  StateStore,
  | "deleteExcessMessages"
  | "deleteExpiredKeys"
  | "deleteFinishedTasks"
  | "deleteFreeBusinessKeys"
  | "deleteOldBulkOperations"
  | "deleteOldMessages"
  | "deleteOldRecords"
  | "deletePassedFairnessKeys"
  | "dropMonth"
  | "findOldMonths"
  | "lookAtClock"
>;

interface Dependencies {
  readonly store: ForgettingStore;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  readonly clock: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
  /** How long to rest in between, in milliseconds. */
  readonly interval: number;
}

/**
 * Deletes what is past its retention: expired idempotency keys, business keys of ended tasks, idle fairness keys and old messages always, finished tasks when a
 * time is set, and nothing by a clock that has jumped. A month that is over is dropped as a whole; of one with an
 * unfinished task, the finished tasks are deleted. Resolves to the milliseconds until the next round.
 */
export function dropOldMonths(deps: Dependencies) {
  const { store, clock, keep, interval } = deps;
  const checkClock = clockGuard(deps);
  const deleteOldMessages = deleteMessages(deps);
  const deleteKeys = deleteBusinessKeys(deps);

  return async (signal: AbortSignal): Promise<number> => {
    const how = { clock, signal };
    await checkClock();
    await deleteInBatches(() => store.deleteExpiredKeys({ batch }), how);
    await deleteInBatches(() => store.deletePassedFairnessKeys({ batch }), how);
    await deleteKeys(signal);
    await deleteOldMessages(signal);
    if (keep === null || signal.aborted) return interval;
    for (const old of await store.findOldMonths({ keep })) {
      await dropMonth(old, { ...deps, keep, signal });
    }
    await deleteInBatches(() => store.deleteOldRecords({ keep, batch }), how);
    await deleteInBatches(() => store.deleteOldBulkOperations({ keep, batch }), how);
    return interval;
  };
}

interface Dropping extends Pick<Dependencies, "store" | "log" | "clock"> {
  readonly keep: number;
  readonly signal: AbortSignal;
}

async function dropMonth(
  { month, hasUnfinished, hasRecent }: OldMonth,
  { store, log, clock, keep, signal }: Dropping,
): Promise<void> {
  if (signal.aborted || (hasRecent && !hasUnfinished)) return;
  const keeping = { month, keep, batch };
  const deleteBatch = () => store.deleteFinishedTasks(keeping);
  const tasks = hasUnfinished ? await deleteInBatches(deleteBatch, { clock, signal }) : 0;
  const dropped = !hasUnfinished && (await store.dropMonth(keeping));
  if (tasks > 0 || dropped)
    log.info({ month, tasks, dropped }, dropped ? "month dropped" : "old tasks deleted");
}
