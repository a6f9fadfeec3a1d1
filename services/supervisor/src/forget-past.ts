import { type Clock, type Logger, sleep } from "@holdfast/runtime";
import type { OldMonth, StateStore } from "@holdfast/state-store";

export type ForgettingStore = Pick<
  StateStore,
  | "deleteExcessMessages"
  | "deleteExpiredKeys"
  | "deleteFinishedTasks"
  | "deleteOldMessages"
  | "deleteOldRecords"
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

const batch = 200;
/** Bytes of refused replies, and of dead letters, that are kept of one sender. */
const mostBytes = 64 * 1024 ** 2;
/** Milliseconds between two counts of these bytes: they are counted one by one. */
const countEvery = 600_000;
/** Milliseconds between two batches, for those who are at work. */
const breath = 50;

/**
 * Deletes what nobody needs any more: expired idempotency keys and old messages always, the past when it is
 * said how long it is kept, and nothing by a clock that has jumped. A month that is over goes as a whole; of one with an unfinished task, what has finished.
 * Resolves to how long to rest.
 */
export function forgetPast({ store, log, clock, keep, keepMessages, interval }: Dependencies) {
  let aheadSince: number | null = null;
  let countedAt = Number.NEGATIVE_INFINITY;

  const lookAtClock = async (): Promise<void> => {
    const known = aheadSince;
    aheadSince = await store.lookAtClock();
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

  const forgetMessages = async (signal: AbortSignal): Promise<void> => {
    await deleteAll(() => store.deleteOldMessages({ keep: keepMessages, batch }), signal);
    if (clock.now() - countedAt < countEvery || signal.aborted) return;
    const dropped = await store.deleteExcessMessages({ mostBytes, batch: 50 * batch });
    // More may be left.
    countedAt = dropped.length === 0 ? clock.now() : Number.NEGATIVE_INFINITY;
    for (const one of dropped) log.warn(one, "messages beyond the limit of a sender deleted");
  };

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
    await lookAtClock();
    await deleteAll(() => store.deleteExpiredKeys({ batch }), signal);
    await forgetMessages(signal);
    if (keep === null || signal.aborted) return interval;
    for (const old of await store.findOldMonths({ keep })) {
      await forgetMonth(old, { keep, batch }, signal);
    }
    await deleteAll(() => store.deleteOldRecords({ keep, batch }), signal);
    return interval;
  };
}
