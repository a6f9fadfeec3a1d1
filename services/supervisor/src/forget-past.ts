import { type Clock, type Logger, sleep } from "@holdfast/runtime";
import type { OldMonth, StateStore } from "@holdfast/state-store";

export type ForgettingStore = Pick<
  StateStore,
  "deleteExpiredKeys" | "deleteFinishedTasks" | "deleteOldRecords" | "dropMonth" | "findOldMonths"
>;

interface Dependencies {
  readonly store: ForgettingStore;
  readonly log: Pick<Logger, "info">;
  readonly clock: Clock;
  /** How long finished tasks are kept, in milliseconds; null: for ever. */
  readonly keep: number | null;
  /** How long to rest in between, in milliseconds. */
  readonly interval: number;
}

const batch = 200;
/** Milliseconds between two batches, for those who are at work. */
const breath = 50;

/**
 * Deletes what nobody needs any more: expired idempotency keys always, the past when it is said how long
 * it is kept. A month that is over goes as a whole; of one with an unfinished task, what has finished.
 * Resolves to how long to rest.
 */
export function forgetPast({ store, log, clock, keep, interval }: Dependencies) {
  /** Batch after batch, until there is less than one. Resolves to how many were deleted. */
  const deleteAll = async (
    deleteSome: () => Promise<number>,
    signal: AbortSignal,
  ): Promise<number> => {
    let all = 0;
    while (!signal.aborted) {
      const deleted = await deleteSome();
      all += deleted;
      if (deleted < batch) break;
      await sleep(clock, breath, signal);
    }
    return all;
  };

  const forgetMonth = async (
    { month, hasUnfinished, hasRecent }: OldMonth,
    keeping: { readonly keep: number; readonly batch: number },
    signal: AbortSignal,
  ): Promise<void> => {
    if (signal.aborted || (hasRecent && !hasUnfinished)) return;
    const deleteSome = () => store.deleteFinishedTasks({ month, ...keeping });
    const tasks = hasUnfinished ? await deleteAll(deleteSome, signal) : 0;
    const dropped = !hasUnfinished && (await store.dropMonth({ month, ...keeping }));
    if (tasks > 0 || dropped) log.info({ month, tasks, dropped }, "past forgotten");
  };

  return async (signal: AbortSignal): Promise<number> => {
    await deleteAll(() => store.deleteExpiredKeys({ batch }), signal);
    if (keep === null || signal.aborted) return interval;
    for (const old of await store.findOldMonths({ keep })) {
      await forgetMonth(old, { keep, batch }, signal);
    }
    await deleteAll(() => store.deleteOldRecords({ keep, batch }), signal);
    return interval;
  };
}
