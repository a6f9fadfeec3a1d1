import { limits } from "@holdfast/contracts";
import type { Channel } from "amqplib";
import type { Broker, ConsumeOptions } from "../broker.ts";
import { claimExclusive, queueFilledBy } from "./exclusive-queue.ts";
import { handleBatches } from "./handle-batches.ts";
import { handleEach } from "./handle-each.ts";
import { limitedConsumers } from "./limited-consumers.ts";
import { type ConsumedQueues, consumedChannels, type subscriptions } from "./subscriptions.ts";

interface ConsumingOptions {
  readonly consumers: ReturnType<typeof subscriptions>;
  readonly createChannel: () => Promise<Channel>;
  /** The largest message that is read, in bytes. */
  readonly maxMessageBytes: number;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * The consumers that a broker offers: for single messages, for hints, for batches and for shared
 * queues.
 */
export function consuming(
  options: ConsumingOptions,
): Pick<Broker, "consume" | "listen" | "consumeBatches" | "consumeShared"> {
  const { consumers, log } = options;
  const sizeLimit = sizeLimitOf(options);
  return {
    async consume(queue, how, handle) {
      let { prefetch } = how;
      const consumer = await consumers.subscribe({
        name: queue,
        consumers: (take) => limitedConsumers({ queue, limit: () => prefetch }, take),
        ...sizeLimit(how),
        intake: handleEach({ queue, handle, onFailure: "retry", log }),
      });
      return {
        limit(next) {
          prefetch = next;
          return consumer.refresh();
        },
        [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose](),
      };
    },
    listen(exchange, handle) {
      const queuesOf: ConsumedQueues = async (channel) => [
        { queue: await queueFilledBy(channel, exchange), prefetch: hintPrefetch },
      ];
      return consumers.subscribe({
        name: exchange,
        consumers: (take) => consumedChannels(exchange, queuesOf, take),
        ...sizeLimit({ maxBytes: limits.hintBytes }),
        // A hint that is lost costs little.
        intake: handleEach({ queue: exchange, handle, onFailure: "drop", log }),
      });
    },
    consumeBatches: (queue, how, handle) =>
      subscribeBatches(consumers, {
        ...sizeLimit(how),
        name: queue,
        consumers: (take) =>
          consumedChannels(queue, async () => [{ queue, prefetch: how.prefetch }], take),
        batches: { ...how, queue, handle, log },
      }),
    consumeShared: consumeShared(options),
  };
}

type Consumers = ReturnType<typeof subscriptions>;

interface BatchSubscription extends Omit<Parameters<Consumers["subscribe"]>[0], "intake"> {
  readonly batches: Omit<Parameters<typeof handleBatches>[0], "makeRoom">;
}

/**
 * Consumes batches. A prefetch that is filled by what fails is given once more, by consuming anew:
 * only what else arrives shows whether the store fails, or those messages do.
 */
async function subscribeBatches(
  consumers: Consumers,
  { batches, ...subscription }: BatchSubscription,
): Promise<AsyncDisposable> {
  let consumer: Awaited<ReturnType<Consumers["subscribe"]>> | null = null;
  const intake = handleBatches({ ...batches, makeRoom: () => void consumer?.refresh() });
  consumer = await consumers.subscribe({ ...subscription, intake });
  return consumer;
}

/**
 * Consumes several queues as one; one of them becomes our own, with the highest consumer priority.
 */
function consumeShared(options: ConsumingOptions): Broker["consumeShared"] {
  const { consumers, createChannel, log } = options;
  const sizeLimit = sizeLimitOf(options);
  return async ({ common, owned, claimOwn = true }, how, handle) => {
    let own: string | null = null;
    const queues: ConsumedQueues = async () => {
      if (claimOwn) own = await claimExclusive(owned, own, createChannel);
      return [common, ...owned].map((queue) => ({
        queue,
        priority: queue === own ? 1 : 0,
        prefetch: shareOf(queue, { own, common, prefetch: how.prefetch }),
      }));
    };
    const consumer = await subscribeBatches(consumers, {
      ...sizeLimit(how),
      name: common,
      consumers: (take) => consumedChannels(common, queues, take),
      batches: { ...how, queue: common, handle, log },
    });
    return {
      get own() {
        return own;
      },
      [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose](),
    };
  };
}

/** No consumer reads messages above the limit of the connection. */
const sizeLimitOf =
  ({ maxMessageBytes }: ConsumingOptions) =>
  ({ maxBytes = maxMessageBytes, oversized = "reject" }: Partial<ConsumeOptions>) => ({
    maxBytes: Math.min(maxBytes, maxMessageBytes),
    oversized,
  });

/** Hints are small. */
const hintPrefetch = 100;

interface Shares {
  readonly own: string | null;
  readonly common: string;
  readonly prefetch: number;
}

/**
 * The prefetch of one queue: from the queues of other consumers as many messages as keep them from
 * growing, as their owners take the rest.
 */
function shareOf(queue: string, { own, common, prefetch }: Shares): number {
  if (queue === (own ?? common)) return prefetch;
  return Math.max(1, Math.floor(prefetch / (queue === common ? 2 : 8)));
}
