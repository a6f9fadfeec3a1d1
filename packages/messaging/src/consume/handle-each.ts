import type { Delivery } from "../broker.ts";
import type { OpenDelivery } from "./inbound-message.ts";
import type { Intake } from "./subscriptions.ts";

interface EachOptions {
  readonly queue: string;
  readonly handle: (delivery: Delivery) => Promise<void>;
  /**
   * `retry`: back to the queue, up to its delivery limit. `drop`: a queue without one would
   * redeliver it for ever.
   */
  readonly onFailure: "retry" | "drop";
  readonly log: { error(fields: object, message: string): void };
}

/** Hands over each delivery by itself, and waits for those in progress when it is drained. */
export function handleEach({ queue, handle, onFailure, log }: EachOptions): Intake {
  const inProgress = new Set<Promise<void>>();

  const handleOne = async (delivery: OpenDelivery): Promise<void> => {
    try {
      await handle(delivery);
      delivery.ack();
    } catch (err) {
      log.error({ err, queue, messageId: delivery.messageId }, "message handling failed");
      if (onFailure === "retry") delivery.retry();
      else delivery.reject();
    }
  };

  return {
    take({ deliveries }) {
      for (const delivery of deliveries) {
        const work = handleOne(delivery).finally(() => inProgress.delete(work));
        inProgress.add(work);
      }
    },
    async drain() {
      await Promise.all(inProgress);
    },
    queue,
    stalledConsumer: null,
    oldestMs: 0,
  };
}
