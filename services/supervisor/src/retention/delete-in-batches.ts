import { type Clock, sleep } from "@holdfast/runtime";

/** Rows that one statement deletes at most. */
export const batch = 200;
/** Milliseconds between two batches, in which other transactions get their locks. */
export const pause = 50;
/**
 * Batches of one kind in one round: what comes after it waits no longer, however many rows there
 * are.
 */
const mostBatches = 20;

/** What a round has deleted of one kind. */
export interface DeletedRows {
  readonly deleted: number;
  /** Whether there may be more. */
  readonly isPartial: boolean;
}

/** Deletes batch after batch, until one is not full or the round has had its share. */
export async function deleteInBatches(
  deleteBatch: () => Promise<number>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<DeletedRows> {
  let all = 0;
  for (let batches = 0; batches < mostBatches && !signal.aborted; batches += 1) {
    if (batches > 0) await sleep(clock, pause, signal);
    const deleted = await deleteBatch();
    all += deleted;
    if (deleted < batch) return { deleted: all, isPartial: false };
  }
  return { deleted: all, isPartial: !signal.aborted };
}
