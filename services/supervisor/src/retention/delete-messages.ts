import type { Clock, Logger } from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";
import { batch, deleteInBatches } from "./delete-in-batches.ts";

interface Dependencies {
  readonly store: Pick<SupervisorStore, "deleteOldMessages" | "deleteExcessMessages">;
  readonly log: Pick<Logger, "warn">;
  readonly clock: Clock;
  /** How long refused replies and dead letters are kept, at most, in milliseconds. */
  readonly keepMessages: number;
}

/** Bytes of refused replies, and of dead letters, that are kept of one sender. */
const mostBytes = 64 * 1024 ** 2;
/** Milliseconds between two counts of these bytes: they are counted one by one. */
const countEvery = 600_000;

/**
 * Deletes refused replies and dead letters that are old, and those beyond the limit of their sender. Resolves to
 * whether there may be more.
 */
export function deleteMessages({ store, log, clock, keepMessages }: Dependencies) {
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
