import { type Clock, sleep } from "@holdfast/runtime";

/** Rows that one statement deletes at most. */
export const batch = 200;
/** Milliseconds between two batches, in which other transactions get their locks. */
const pause = 50;

/** Deletes batch after batch, until one is not full. Resolves to the number of rows deleted. */
export async function deleteInBatches(
  deleteBatch: () => Promise<number>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number> {
  let all = 0;
  while (!signal.aborted) {
    const deleted = await deleteBatch();
    all += deleted;
    if (deleted < batch) break;
    await sleep(clock, pause, signal);
  }
  return all;
}
