import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../broker.ts";
import { failedParts, halvesOf, type Part } from "./failed-parts.ts";
import { openMessages } from "./open-messages.ts";
import { remedyFor } from "./remedy-for-failure.ts";

export interface PartOptions {
  readonly queue: string;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  /** Stores a delivery that cannot be handled. Without it, the delivery is rejected. */
  readonly deadLetter?: ((delivery: Delivery, error: unknown) => Promise<void>) | undefined;
  readonly log: { error(fields: object, message: string): void };
}

/** Milliseconds between two tries, doubled with each failure in a row. */
const minRetryDelay = 100;
export const maxRetryDelay = 1_000;
/** Milliseconds until a delivery that could not be dead-lettered is tried again. */
const deadLetterRetryDelay = 10_000;

/** What came on one channel. */
export const newChannelWork = () => ({
  open: openMessages(),
  failed: failedParts(),
  /** Aborted when the channel is gone. */
  giveUp: new AbortController(),
});

export type ChannelWork = ReturnType<typeof newChannelWork>;

/** Handles parts of batches; a part that fails is retried, split or dead-lettered, as `remedyFor` says. */
export function partHandler({ queue, handle, deadLetter, log }: PartOptions) {
  let handled = 0;
  let failuresInARow = 0;

  const failedOnceMore = (part: Part, error: unknown): Part => {
    const first = part.failures === 0;
    return {
      ...part,
      error,
      failures: part.failures + 1,
      failedAt: first ? performance.now() : part.failedAt,
      handledBefore: first ? handled : part.handledBefore,
    };
  };

  const onFailure = async ({ open, failed, giveUp }: ChannelWork, part: Part): Promise<void> => {
    const { items, failures, error } = part;
    for (const item of items) item.of.hasFailed = true;
    const othersSucceeded = handled > part.handledBefore;
    const isOnlyOne = failed.waiting.length === 0;
    const remedy = remedyFor({ size: items.length, failures, othersSucceeded, isOnlyOne }, error);
    // An outage must not flood the log.
    if (remedy === "deadLetter" || Number.isInteger(Math.log2(failures))) {
      log.error({ err: error, queue, messages: items.length, failures, remedy }, "batch failed");
    }
    if (remedy === "split") failed.waiting.unshift(...halvesOf(part));
    else if (remedy === "deadLetter") {
      if (await deadLetterAll(part, { queue, deadLetter, log })) open.finish(items);
      else failed.waiting.push({ ...part, notBefore: performance.now() + deadLetterRetryDelay });
    } else {
      failed.waiting.push(part);
      const delay = Math.min(maxRetryDelay, minRetryDelay * 2 ** failuresInARow);
      failuresInARow += 1;
      await sleep(delay, undefined, { signal: giveUp.signal }).catch(() => {});
    }
  };

  return async (work: ChannelWork, part: Part): Promise<void> => {
    const unsettled = part.items.filter(({ delivery }) => !delivery.isSettled);
    const { open, failed, giveUp } = work;
    failed.retried.add(part);
    try {
      if (unsettled.length > 0) await handle(unsettled.map(({ delivery }) => delivery));
      handled += 1;
      failuresInARow = 0;
      open.finish(part.items);
    } catch (error) {
      if (!giveUp.signal.aborted) await onFailure(work, failedOnceMore(part, error));
    } finally {
      failed.retried.delete(part);
    }
  };
}

/** Resolves to whether every delivery of the part is settled, or stored as a dead letter. */
async function deadLetterAll(
  { items, error }: Part,
  { queue, deadLetter, log }: Omit<PartOptions, "handle">,
): Promise<boolean> {
  try {
    for (const { delivery } of items) {
      if (deadLetter === undefined) delivery.reject();
      else await deadLetter(delivery, error);
    }
    return true;
  } catch (err) {
    log.error({ err, queue }, "message not dead-lettered");
    return false;
  }
}
