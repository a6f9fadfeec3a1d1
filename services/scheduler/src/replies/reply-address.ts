import { ownReplyQueues, replyQueue } from "@holdfast/contracts";
import type { BatchOptions, Broker, Delivery, SharedConsumer } from "@holdfast/messaging";

interface Options {
  /** Whether this Scheduler claims a reply queue of its own; on unless a benchmark turns it off. */
  readonly ownReplyQueue?: boolean;
}

/**
 * Consumes replies, and knows the queue that Agents are to reply to: this Scheduler's own while it holds one,
 * otherwise the common one. A reply in the own queue finds its task in the cache of this process.
 */
export function replyAddress(
  broker: Pick<Broker, "consumeShared">,
  { ownReplyQueue = true }: Options = {},
) {
  let consumer: SharedConsumer | null = null;
  const queues = { common: replyQueue, owned: ownReplyQueues, claimOwn: ownReplyQueue };
  return {
    current: (): string => consumer?.own ?? replyQueue,
    async consume(
      options: BatchOptions,
      handle: (batch: readonly Delivery[]) => Promise<void>,
    ): Promise<AsyncDisposable> {
      consumer = await broker.consumeShared(queues, options, handle);
      return consumer;
    },
  };
}
