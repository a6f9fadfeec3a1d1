import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "./broker.ts";
import type { Intake } from "./subscriptions.ts";
import { attempt, type OpenDelivery } from "./to-delivery.ts";

interface Options {
  readonly queue: string;
  readonly max: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

const shortestRest = 100;
const longestRest = 1_000;

/** Collects deliveries while a batch is being handled, and hands them over together next. */
export function handleBatches({ queue, max, handle, log }: Options): Intake {
  let waiting: OpenDelivery[] = [];
  let handling: Promise<void> | null = null;
  let giveUp = new AbortController();

  const handleBatch = async (batch: readonly OpenDelivery[]): Promise<void> => {
    const { signal } = giveUp;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await handle(batch);
        return acknowledge(batch);
      } catch (err) {
        log.error({ err, queue, messages: batch.length }, "batch failed");
        const rest = Math.min(longestRest, shortestRest * 2 ** failures);
        await sleep(rest, undefined, { signal }).catch(() => {});
      }
    }
  };

  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await handleBatch(batch);
    }
    handling = null;
  };

  return {
    take(delivery) {
      waiting.push(delivery);
      // What has arrived with it in one read of the socket comes along; then it leaves at once.
      handling ??= new Promise((resolve) => setImmediate(resolve)).then(pump);
    },
    /** A batch in hand that fails is not tried again. */
    async drain() {
      waiting = [];
      giveUp.abort();
      giveUp = new AbortController();
      await handling;
    },
  };
}

/**
 * One acknowledgement for all that is left of a batch: batches follow one another on a channel, so
 * everything before has been settled.
 */
function acknowledge(batch: readonly OpenDelivery[]): void {
  const last = batch.findLast(({ isSettled }) => !isSettled);
  for (const delivery of batch) delivery.settled();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
