import type { Clock, Logger } from "@holdfast/runtime";
import type { OldMonth, SupervisorStore } from "@holdfast/state-store";
import { clockGuard } from "./clock-guard.ts";
import { batch, deleteInBatches } from "./delete-in-batches.ts";
import { deleteMessages } from "./delete-messages.ts";

export type ForgettingStore = Pick<
  SupervisorStore,
  | "deleteExcessMessages"
  | "deleteExpiredKeys"
  | "deleteFinishedTasks"
  | "deleteOldBulkOperations"
  | "deleteOldMessages"
  | "deleteOldRecords"
  | "deletePassedFairnessKeys"
  | "dropMonth"
  | "findOldMonths"
  | "readClock"
>;

interface Dependencies {
  readonly store: ForgettingStore;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  readonly clock: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
}

/**
 * Deletes what is past its retention: expired idempotency keys, idle fairness keys and old messages always, finished
 * tasks when a time is set, and nothing by a clock that has jumped. A month that is over is dropped as a whole; of one
 * with an unfinished task, the finished tasks are deleted. Each kind has a share of the round, so that none keeps the
 * others waiting. Resolves to whether one of them may have more.
 */
export function dropOldMonths(deps: Dependencies) {
  const { store, clock, keep } = deps;
  const checkClock = clockGuard(deps);
  const deleteOldMessages = deleteMessages(deps);

  return async (signal: AbortSignal): Promise<boolean> => {
    let isPartial = false;
    const share = async (deleteBatch: () => Promise<number>): Promise<void> => {
      const rows = await deleteInBatches(deleteBatch, { clock, signal });
      isPartial ||= rows.isPartial;
    };
    await checkClock();
    await share(() => store.deleteExpiredKeys({ batch }));
    await share(() => store.deletePassedFairnessKeys({ batch }));
    isPartial = (await deleteOldMessages(signal)) || isPartial;
    if (keep === null || signal.aborted) return isPartial;
    for (const old of await store.findOldMonths({ keep })) {
      isPartial = (await dropMonth(old, { ...deps, keep, signal })) || isPartial;
    }
    await share(() => store.deleteOldRecords({ keep, batch }));
    await share(() => store.deleteOldBulkOperations({ keep, batch }));
    return isPartial;
  };
}

interface Dropping extends Pick<Dependencies, "store" | "log" | "clock"> {
  readonly keep: number;
  readonly signal: AbortSignal;
}

/** Resolves to whether more of its tasks may be deleted. */
async function dropMonth(
  { month, hasUnfinished, hasRecent }: OldMonth,
  { store, log, clock, keep, signal }: Dropping,
): Promise<boolean> {
  if (signal.aborted || (hasRecent && !hasUnfinished)) return false;
  const keeping = { month, keep, batch };
  if (!hasUnfinished) {
    if (await store.dropMonth(keeping)) log.info({ month }, "month dropped");
    return false;
  }
  const deleteBatch = () => store.deleteFinishedTasks(keeping);
  const { deleted: tasks, isPartial } = await deleteInBatches(deleteBatch, { clock, signal });
  if (tasks > 0) log.info({ month, tasks }, "old tasks deleted");
  return isPartial;
}
