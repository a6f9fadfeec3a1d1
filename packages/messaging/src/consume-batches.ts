import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "./broker.ts";
import { attempt, type OpenDelivery } from "./to-delivery.ts";

interface BatchLog {
  error(fields: object, message: string): void;
}

interface Options {
  readonly queue: string;
  readonly max: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  readonly log: BatchLog;
}

const shortestRest = 100;
const longestRest = 5_000;

/** Collects deliveries while a batch is being handled, and hands them over together next. */
export function batchesOf({ queue, max, handle, log }: Options) {
  let waiting: OpenDelivery[] = [];
  let handling: Promise<void> | null = null;
  const stop = new AbortController();

  const handleBatch = async (batch: readonly OpenDelivery[]): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted; failures += 1) {
      try {
        await handle(batch);
        return acknowledge(batch);
      } catch (err) {
        log.error({ err, queue, messages: batch.length }, "batch failed");
        const rest = Math.min(longestRest, shortestRest * 2 ** failures);
        await sleep(rest, undefined, { signal: stop.signal }).catch(() => {});
      }
    }
  };

  const pump = async (): Promise<void> => {
    while (waiting.length > 0 && !stop.signal.aborted) {
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await handleBatch(batch);
    }
    handling = null;
  };

  return {
    push(delivery: OpenDelivery): void {
      waiting.push(delivery);
      // What has arrived with it in one read of the socket comes along; then it leaves at once.
      handling ??= new Promise((resolve) => setImmediate(resolve)).then(pump);
    },
    /** The channel is gone: what was not begun will be delivered again. */
    forget(): void {
      waiting = [];
    },
    /** Finishes the batch in hand. */
    async stop(): Promise<void> {
      waiting = [];
      await Promise.race([
        handling ?? Promise.resolve(),
        sleep(longestRest, undefined, { ref: false }),
      ]);
      stop.abort();
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
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
