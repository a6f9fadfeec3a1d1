import type { OpenDelivery } from "./arrival.ts";
import type { Delivery } from "./broker.ts";
import type { Intake } from "./subscriptions.ts";

interface Options {
  readonly queue: string;
  readonly handle: (delivery: Delivery) => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

/** Hands over each delivery by itself, and knows which are in hand. */
export function handleEach({ queue, handle, log }: Options): Intake {
  const inHand = new Set<Promise<void>>();

  const handleOne = async (delivery: OpenDelivery): Promise<void> => {
    try {
      await handle(delivery);
      delivery.ack();
    } catch (err) {
      log.error({ err, queue, messageId: delivery.messageId }, "message not handled");
      delivery.tryAgain();
    }
  };

  return {
    take({ deliveries }) {
      for (const delivery of deliveries) {
        const work = handleOne(delivery).finally(() => inHand.delete(work));
        inHand.add(work);
      }
    },
    async drain() {
      await Promise.all(inHand);
    },
    queue,
    standstill: null,
    oldestMs: 0,
  };
}
