import type { Delivery } from "@holdfast/messaging";
import type { Host } from "../host.ts";

export type OpenDelivery = Delivery & { readonly retry: () => void };

/** Takes deliveries for as long as a connection holds. */
export interface Intake {
  take(delivery: OpenDelivery): void;
  /** The connection broke: what has not been begun goes to another consumer. */
  drop(): void;
}

/** Milliseconds between two tries of a batch. */
const minDelay = 100;
const maxDelay = 1_000;

/** Handles each delivery by itself. */
export const oneByOne = (handle: (delivery: Delivery) => Promise<void>): Intake => ({
  take(delivery) {
    void handle(delivery).then(
      () => delivery.ack(),
      () => delivery.retry(),
    );
  },
  drop() {},
});

interface BatchOptions {
  readonly max: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
}

/**
 * One batch at a time. What fails is handed over again after a while, and is acknowledged at the
 * end.
 */
export function inBatches(host: Host, { max, handle }: BatchOptions): Intake {
  let waiting: OpenDelivery[] = [];
  const connection = { count: 0 };
  let isBusy = false;

  const pause = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.clock.after(ms, resolve);
    return promise;
  };

  const handleBatch = async (batch: readonly OpenDelivery[]): Promise<void> => {
    const mine = connection.count;
    for (let failures = 0; mine === connection.count; failures += 1) {
      try {
        await handle(batch);
        for (const delivery of batch) delivery.ack();
        return;
      } catch {
        await pause(Math.min(maxDelay, minDelay * 2 ** failures));
      }
    }
  };

  const pump = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await handleBatch(batch);
    }
    isBusy = false;
  };

  return {
    take(delivery) {
      waiting.push(delivery);
      if (!isBusy) void pump();
    },
    drop() {
      waiting = [];
      connection.count += 1;
    },
  };
}
