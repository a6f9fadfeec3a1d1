import type { Delivery } from "../broker.ts";
import { failedParts, type Part, partsOf, restAfter } from "./failed-parts.ts";
import { openMessages } from "./open-messages.ts";
import { isOfSurroundings, remedyFor } from "./remedy-for-failure.ts";

export interface PartOptions {
  readonly queue: string;
  /** How many messages may be unacknowledged at a time. */
  readonly prefetch: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  /** Stores a delivery that cannot be handled. Without it, the delivery is rejected. */
  readonly deadLetter?: ((delivery: Delivery, error: unknown) => Promise<void>) | undefined;
  /** Asks for a prefetch beside the one that is filled by what fails. */
  readonly makeRoom: () => void;
  readonly log: { error(fields: object, message: string): void };
}

/** Milliseconds until a delivery that could not be dead-lettered is tried again. */
const deadLetterRetryDelay = 10_000;

/** What came on one channel. */
export const newChannelWork = () => ({
  open: openMessages(),
  failed: failedParts(),
  /** Room was made for others: what fails has half of the prefetch or more. */
  hasRoom: false,
  /** Aborted when the channel is gone. */
  giveUp: new AbortController(),
});

export type ChannelWork = ReturnType<typeof newChannelWork>;

/**
 * Handles parts of batches; a part that fails is retried, split or dead-lettered, as `remedyFor` says. It rests by
 * itself until then: its worker goes on with others.
 */
export function partHandler(options: PartOptions) {
  const { handle } = options;
  const { succeeded, failedOnceMore, onFailure } = remedies(options);

  return async (work: ChannelWork, part: Part): Promise<void> => {
    const unacknowledged = part.items.filter(({ delivery }) => !delivery.isAcknowledged);
    const { open, failed, giveUp } = work;
    let current = part;
    failed.retried.add(current);
    try {
      if (unacknowledged.length > 0) await handle(unacknowledged.map(({ delivery }) => delivery));
      succeeded(work);
      open.finish(part.items);
    } catch (error) {
      failed.retried.delete(current);
      current = failedOnceMore(part, error);
      failed.retried.add(current);
      if (!giveUp.signal.aborted) await onFailure(work, current);
    } finally {
      failed.retried.delete(current);
      if (!failed.isFailing()) work.hasRoom = false;
    }
  };
}

/** What becomes of parts that fail, by what is known of the others of this consumer. */
function remedies({ queue, prefetch, deadLetter, makeRoom, log }: PartOptions) {
  let handled = 0;
  let outages = 0;

  const succeeded = ({ failed }: ChannelWork): void => {
    handled += 1;
    outages = 0;
    failed.storeWorks();
  };

  const failedOnceMore = (part: Part, error: unknown): Part => {
    const failures = part.failures + 1;
    // What it was split from may have failed before.
    if (part.failedAt > 0) return { ...part, error, failures };
    return { ...part, error, failures, failedAt: performance.now(), handledBefore: handled };
  };

  const onFailure = async (work: ChannelWork, part: Part): Promise<void> => {
    const { open, failed } = work;
    const { items, failures, error } = part;
    for (const item of items) item.of.hasFailed = true;
    const othersSucceeded = handled > part.handledBefore;
    const isCrowded = 2 * failed.deliveries() >= prefetch;
    const facts = { size: items.length, failures, othersSucceeded, isCrowded };
    const remedy = remedyFor(facts, error);
    // An outage must not flood the log.
    if (remedy === "deadLetter" || Number.isInteger(Math.log2(failures))) {
      log.error({ err: error, queue, messages: items.length, failures, remedy }, "batch failed");
    }
    if (isOfSurroundings(error) && !othersSucceeded) {
      outages += 1;
      failed.storeFailed(performance.now() + restAfter(outages));
    }
    if (remedy === "split") failed.waiting.unshift(...partsOf(part, Math.ceil(items.length / 2)));
    else if (remedy === "single") failed.waiting.unshift(...partsOf(part, 1));
    else if (remedy === "deadLetter") {
      if (await deadLetterAll(part, { queue, deadLetter, log })) {
        // The store took it.
        if (deadLetter !== undefined) succeeded(work);
        open.finish(items);
      } else failed.waiting.push({ ...part, notBefore: performance.now() + deadLetterRetryDelay });
    } else {
      failed.waiting.push({ ...part, notBefore: performance.now() + restAfter(failures) });
      if (isCrowded && !work.hasRoom) makeRoom();
      work.hasRoom ||= isCrowded;
    }
  };

  return { succeeded, failedOnceMore, onFailure };
}

/** Resolves to whether every delivery of the part is acknowledged, or stored as a dead letter. */
async function deadLetterAll(
  { items, error }: Part,
  { queue, deadLetter, log }: Pick<PartOptions, "queue" | "deadLetter" | "log">,
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
