import { setTimeout as sleep } from "node:timers/promises";
import { type Arrival, attempt } from "./arrival.ts";
import type { Delivery } from "./broker.ts";
import type { Intake } from "./subscriptions.ts";

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
  let waiting: Arrival[] = [];
  let handling: Promise<void> | null = null;
  let giveUp = new AbortController();

  const handleBatch = async (arrivals: readonly Arrival[]): Promise<void> => {
    const { signal } = giveUp;
    const batch = arrivals.flatMap(({ deliveries }) => deliveries);
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await handle(batch);
        return acknowledge(arrivals);
      } catch (err) {
        log.error({ err, queue, messages: batch.length }, "batch failed");
        const rest = Math.min(longestRest, shortestRest * 2 ** failures);
        await sleep(rest, undefined, { signal }).catch(() => {});
      }
    }
  };

  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = firstOf(waiting, max);
      waiting = waiting.slice(batch.length);
      await handleBatch(batch);
    }
    handling = null;
  };

  return {
    take(arrival) {
      waiting.push(arrival);
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

/** As many as make a batch full: what came together stays together. */
function firstOf(waiting: readonly Arrival[], max: number): readonly Arrival[] {
  let deliveries = 0;
  const isFull = waiting.findIndex((arrival) => (deliveries += arrival.deliveries.length) >= max);
  return isFull === -1 ? waiting : waiting.slice(0, isFull + 1);
}

/**
 * One acknowledgement for all that is left of a batch: batches follow one another on a channel, so
 * everything before has been settled.
 */
function acknowledge(batch: readonly Arrival[]): void {
  for (const arrival of batch) if (!arrival.isGood) arrival.settle();
  const rest = batch.filter(({ isSettled }) => !isSettled);
  const last = rest.at(-1);
  for (const arrival of rest) arrival.settled();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
