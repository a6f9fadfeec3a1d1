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

/** What came on one channel. */
interface Era {
  /** Batches that are not acknowledged, in the order of their deliveries. */
  begun: Batch[];
  readonly giveUp: AbortController;
}

const newEra = (): Era => ({ begun: [], giveUp: new AbortController() });

/** Collects deliveries while a batch is being handled, and hands them over together next. */
export function handleBatches({ queue, max, handle, log }: Options): Intake {
  let waiting: Arrival[] = [];
  let deliveriesWaiting = 0;
  let era = newEra();
  const working = new Set<Promise<void>>();

  const handleBatch = async (batch: Batch): Promise<void> => {
    const mine = era;
    const { signal } = mine.giveUp;
    mine.begun.push(batch);
    const deliveries = batch.arrivals.flatMap((arrival) => arrival.deliveries);
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await handle(deliveries);
        batch.isDone = true;
        return acknowledgeDone(mine);
      } catch (err) {
        log.error({ err, queue, messages: deliveries.length }, "batch failed");
        const rest = Math.min(longestRest, shortestRest * 2 ** failures);
        await sleep(rest, undefined, { signal }).catch(() => {});
      }
    }
  };

  const work = async (): Promise<void> => {
    // What has arrived with it in one read of the socket comes along; then it leaves at once.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = { arrivals: firstOf(waiting, max), isDone: false };
      waiting = waiting.slice(batch.arrivals.length);
      deliveriesWaiting -= countOf(batch.arrivals);
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
      deliveriesWaiting += arrival.deliveries.length;
      if (working.size === 0 || (working.size < hands && deliveriesWaiting >= max)) begin();
    },
    /** A batch in hand that fails is not tried again. */
    async drain() {
      waiting = [];
      deliveriesWaiting = 0;
      era.giveUp.abort();
      era = newEra();
      await Promise.all(working);
    },
  };
}

const countOf = (arrivals: readonly Arrival[]): number =>
  arrivals.reduce((sum, { deliveries }) => sum + deliveries.length, 0);

/** As many as make a batch full: what came together stays together. */
function firstOf(waiting: readonly Arrival[], max: number): readonly Arrival[] {
  let deliveries = 0;
  const isFull = waiting.findIndex((arrival) => (deliveries += arrival.deliveries.length) >= max);
  return isFull === -1 ? waiting : waiting.slice(0, isFull + 1);
}

/** Those before which nothing is open. */
function acknowledgeDone(era: Era): void {
  const open = era.begun.findIndex(({ isDone }) => !isDone);
  const done = open === -1 ? era.begun : era.begun.slice(0, open);
  era.begun = era.begun.slice(done.length);
  acknowledge(done.flatMap(({ arrivals }) => arrivals));
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
