import type { Metrics } from "@holdfast/runtime";
import type { Broker, Delivery, PublishResult } from "../broker.ts";
import { brokerMetrics } from "./broker-metrics.ts";

type Consuming = Pick<Broker, "consume" | "listen" | "consumeBatches" | "consumeShared">;

const errorTypes: Readonly<Record<PublishResult, string>> = {
  stored: "none",
  unroutable: "unroutable",
  unknown: "unknown",
};

/**
 * Counts each message of the broker, and measures its confirm. A hint that may be lost has none.
 */
export function measurePublish(publish: Broker["publish"], metrics: Metrics): Broker["publish"] {
  const sent = metrics.counter(brokerMetrics.sent);
  const confirmed = metrics.histogram(brokerMetrics.confirmed);
  return async (message) => {
    const from = performance.now();
    const result = await publish(message);
    sent(1, message.exchange, errorTypes[result]);
    if (result !== "unknown") confirmed((performance.now() - from) / 1_000, "publish");
    return result;
  };
}

/** Counts what consumers are given, and measures how long they take. */
export function measureConsuming(consuming: Consuming, metrics: Metrics): Consuming {
  const consumed = metrics.counter(brokerMetrics.consumed);
  const processed = metrics.histogram(brokerMetrics.processed);
  const size = metrics.histogram(brokerMetrics.batch);
  const measured = async (queue: string, messages: number, work: Promise<void>): Promise<void> => {
    const from = performance.now();
    consumed(messages, queue);
    try {
      await work;
    } finally {
      processed((performance.now() - from) / 1_000, queue);
    }
  };
  const each =
    (queue: string, handle: (delivery: Delivery) => Promise<void>) => (delivery: Delivery) =>
      measured(queue, 1, handle(delivery));
  const batches =
    (queue: string, handle: (batch: readonly Delivery[]) => Promise<void>) =>
    (batch: readonly Delivery[]) => {
      size(batch.length, queue);
      return measured(queue, batch.length, handle(batch));
    };
  return {
    consume: (queue, how, handle) => consuming.consume(queue, how, each(queue, handle)),
    listen: (exchange, handle) => consuming.listen(exchange, each(exchange, handle)),
    consumeBatches: (queue, how, handle) =>
      consuming.consumeBatches(queue, how, batches(queue, handle)),
    consumeShared: (queues, how, handle) =>
      consuming.consumeShared(queues, how, batches(queues.common, handle)),
  };
}
