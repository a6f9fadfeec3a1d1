import type { Clock, Logger } from "@holdfast/runtime";
import type { OldMonth, SupervisorStore } from "@holdfast/state-store";
import { batch, deleteInBatches } from "./delete-in-batches.ts";

export type ForgettingStore = Pick<
  SupervisorStore,
  | "deleteExcessMessages"
  | "deleteExpiredKeys"
  | "deleteFinishedTasks"
  | "deleteOldBulkOperations"
  | "deleteOldMessages"
  | "deleteOldRecords"
  | "deletePassedFairnessKeys"
  | "deleteUnclaimedSignals"
  | "dropMonth"
  | "findOldMonths"
  | "readClock"
>;

interface RetentionDependencies {
  readonly store: ForgettingStore;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  readonly clock: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
}

/**
 * Deletes what is past its retention: expired idempotency keys, idle fairness keys, signals whose
 * tasks did not come and old messages always, finished tasks when a time is set, and nothing by a
 * clock that has jumped. A month that is over is dropped as a whole; of one with an unfinished
 * task, the finished tasks are deleted. Each kind has a share of the round, so that none keeps the
 * others waiting. Resolves to whether one of them may have more.
 */
export function dropOldMonths(deps: RetentionDependencies) {
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
    await share(() => store.deleteUnclaimedSignals({ batch }));
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

interface Dropping extends Pick<RetentionDependencies, "store" | "log" | "clock"> {
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

/**
 * Checks whether the store's clock has jumped ahead, and logs when that changes. The store deletes
 * nothing meanwhile.
 */
function clockGuard({
  store,
  log,
}: Pick<RetentionDependencies, "store" | "log">): () => Promise<void> {
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

/** Bytes of refused replies, and of dead letters, that are kept of one sender. */
const mostBytes = 64 * 1024 ** 2;
/** Milliseconds between two counts of these bytes: they are counted one by one. */
const countEvery = 600_000;

/**
 * Deletes refused replies and dead letters that are old, and those beyond the limit of their
 * sender. Resolves to whether there may be more.
 */
function deleteMessages({ store, log, clock, keepMessages }: RetentionDependencies) {
  let countedAt = Number.NEGATIVE_INFINITY;

  return async (signal: AbortSignal): Promise<boolean> => {
    const deleteBatch = () => store.deleteOldMessages({ keep: keepMessages, batch });
    const { isPartial } = await deleteInBatches(deleteBatch, { clock, signal });
    if (clock.now() - countedAt < countEvery || signal.aborted) return isPartial;
    const dropped = await store.deleteExcessMessages({ mostBytes, batch: 50 * batch });
    // More may be left.
    countedAt = dropped.length === 0 ? clock.now() : Number.NEGATIVE_INFINITY;
    for (const one of dropped) log.warn(one, "messages beyond the limit of a sender deleted");
    return isPartial;
  };
}
