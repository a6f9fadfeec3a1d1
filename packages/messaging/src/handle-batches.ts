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

/** A full batch need not wait for the one before it: while one is being stored, another is worked at. */
const hands = 2;

interface Batch {
  readonly arrivals: readonly Arrival[];
  isDone: boolean;
}

/** Collects deliveries while a batch is being handled, and hands them over together next. */
export function handleBatches({ queue, max, handle, log }: Options): Intake {
  let waiting: Arrival[] = [];
  /** In the order of their deliveries. */
  let begun: Batch[] = [];
  const working = new Set<Promise<void>>();
  let giveUp = new AbortController();

  const handleBatch = async (batch: Batch): Promise<void> => {
    const { signal } = giveUp;
    const deliveries = batch.arrivals.flatMap((arrival) => arrival.deliveries);
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await handle(deliveries);
        batch.isDone = true;
        return acknowledgeDone();
      } catch (err) {
        log.error({ err, queue, messages: deliveries.length }, "batch failed");
        const rest = Math.min(longestRest, shortestRest * 2 ** failures);
        await sleep(rest, undefined, { signal }).catch(() => {});
      }
    }
  };

  const acknowledgeDone = (): void => {
    const open = begun.findIndex(({ isDone }) => !isDone);
    const done = open === -1 ? begun : begun.slice(0, open);
    begun = begun.slice(done.length);
    acknowledge(done.flatMap(({ arrivals }) => arrivals));
  };

  const work = async (): Promise<void> => {
    // What has arrived with it in one read of the socket comes along; then it leaves at once.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = { arrivals: firstOf(waiting, max), isDone: false };
      waiting = waiting.slice(batch.arrivals.length);
      begun.push(batch);
      await handleBatch(batch);
    }
  };

  const begin = (): void => {
    const hand = work().finally(() => working.delete(hand));
    working.add(hand);
  };

  return {
    take(arrival) {
      waiting.push(arrival);
      if (working.size === 0 || (working.size < hands && isFull(waiting, max))) begin();
    },
    /** A batch in hand that fails is not tried again. */
    async drain() {
      waiting = [];
      giveUp.abort();
      giveUp = new AbortController();
      await Promise.all(working);
      begun = [];
    },
  };
}

const isFull = (waiting: readonly Arrival[], max: number): boolean =>
  waiting.reduce((sum, { deliveries }) => sum + deliveries.length, 0) >= max;

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
