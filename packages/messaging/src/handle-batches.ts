import { setTimeout as sleep } from "node:timers/promises";
import { type Arrival, attempt, type OpenDelivery } from "./arrival.ts";
import type { Delivery, Standstill } from "./broker.ts";
import { remedyFor } from "./remedy-for-failure.ts";
import type { Intake } from "./subscriptions.ts";
import { waitingArrivals } from "./waiting-arrivals.ts";

interface Options {
  readonly queue: string;
  /** How many deliveries make a batch full. */
  readonly max: number;
  /** How long a batch that is not full waits for more, in milliseconds. */
  readonly gatherFor?: number | undefined;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  /** Keeps a delivery that cannot be handled. Without it, the delivery is rejected. */
  readonly bury?: ((delivery: Delivery, error: unknown) => Promise<void>) | undefined;
  readonly log: { error(fields: object, message: string): void };
}

/** Milliseconds between two tries, doubled with each failure in a row. */
const shortestRest = 100;
const longestRest = 1_000;
/** Milliseconds until a delivery that could not be buried is tried again. */
const restUnburied = 10_000;
/** A full batch need not wait for the one before it: while one is being stored, another is worked at. */
const hands = 2;

/** A message that was begun and is not acknowledged. */
interface Begun {
  readonly arrival: Arrival;
  readonly since: number;
  /** How many deliveries in it are not handled. */
  left: number;
  /** One of them could not be handled: those after it are acknowledged without waiting for it. */
  hasFailed: boolean;
}

interface Item {
  readonly delivery: OpenDelivery;
  readonly begun: Begun;
}

/** Deliveries that are handed over together. */
interface Part {
  readonly items: readonly Item[];
  readonly failures: number;
  readonly error: unknown;
  readonly failedAt: number;
  readonly notBefore: number;
  /** How many parts had been handled when it first failed. */
  readonly handledBefore: number;
}

/** What came on one channel. */
interface Era {
  /** In the order of their deliveries. */
  begun: Begun[];
  /** Parts that failed and wait for another try. */
  failed: Part[];
  /** Parts that failed and are being tried again. */
  readonly retried: Set<Part>;
  readonly giveUp: AbortController;
}

const newEra = (): Era => ({
  begun: [],
  failed: [],
  retried: new Set(),
  giveUp: new AbortController(),
});

/**
 * Collects deliveries while a batch is being handled, and hands them over together next. A batch that
 * fails is retried, split or buried, as `remedyFor` says, and keeps no other waiting.
 */
export function handleBatches(options: Options): Intake {
  const { queue, max, gatherFor = 0, handle, bury, log } = options;
  const waiting = waitingArrivals();
  let era = newEra();
  let handled = 0;
  let failuresInARow = 0;
  let isTurnOfFailed = false;
  let endGathering: (() => void) | null = null;
  const working = new Set<Promise<void>>();

  const handOver = async (mine: Era, part: Part): Promise<void> => {
    const open = part.items.filter(({ delivery }) => !delivery.isSettled);
    mine.retried.add(part);
    try {
      if (open.length > 0) await handle(open.map(({ delivery }) => delivery));
      handled += 1;
      failuresInARow = 0;
      finish(mine, part.items);
    } catch (error) {
      if (!mine.giveUp.signal.aborted) await onFailure(mine, failedOnceMore(part, error));
    } finally {
      mine.retried.delete(part);
    }
  };

  const failedOnceMore = (part: Part, error: unknown): Part => {
    const first = part.failures === 0;
    return {
      ...part,
      error,
      failures: part.failures + 1,
      failedAt: first ? performance.now() : part.failedAt,
      handledBefore: first ? handled : part.handledBefore,
    };
  };

  const onFailure = async (mine: Era, part: Part): Promise<void> => {
    const { items, failures, error } = part;
    for (const { begun } of items) begun.hasFailed = true;
    const othersSucceeded = handled > part.handledBefore;
    const isOnlyOne = mine.failed.length === 0;
    const remedy = remedyFor({ size: items.length, failures, othersSucceeded, isOnlyOne }, error);
    // An outage must not flood the log.
    if (remedy === "bury" || Number.isInteger(Math.log2(failures))) {
      log.error({ err: error, queue, messages: items.length, failures, remedy }, "batch failed");
    }
    switch (remedy) {
      case "split":
        return void mine.failed.unshift(...halvesOf(part));
      case "bury":
        return buryAll(mine, part);
      case "retry": {
        mine.failed.push(part);
        const rest = Math.min(longestRest, shortestRest * 2 ** failuresInARow);
        failuresInARow += 1;
        await sleep(rest, undefined, { signal: mine.giveUp.signal }).catch(() => {});
      }
    }
  };

  const buryAll = async (mine: Era, part: Part): Promise<void> => {
    try {
      for (const { delivery } of part.items) {
        if (bury === undefined) delivery.reject();
        else await bury(delivery, part.error);
      }
      finish(mine, part.items);
    } catch (err) {
      log.error({ err, queue }, "message not buried");
      mine.failed.push({ ...part, notBefore: performance.now() + restUnburied });
    }
  };

  /** What failed and what waits take turns. */
  const next = (mine: Era): Part | null => {
    const now = performance.now();
    const index = mine.failed.findIndex(({ notBefore }) => notBefore <= now);
    isTurnOfFailed = index !== -1 && (!isTurnOfFailed || waiting.isEmpty);
    if (isTurnOfFailed) return mine.failed.splice(index, 1)[0] ?? null;
    const items = waiting.take(max).flatMap((arrival) => {
      const begun = { arrival, since: now, left: arrival.deliveries.length, hasFailed: false };
      mine.begun.push(begun);
      return arrival.deliveries.map((delivery) => ({ delivery, begun }));
    });
    return items.length === 0 ? null : { items, ...neverTried };
  };

  /** At least for what has arrived in the same read of the socket. */
  const gathered = (): Promise<void> =>
    new Promise((resolve) => {
      if (gatherFor === 0 || waiting.isFull(max)) return void setImmediate(resolve);
      const timer = setTimeout(resolve, gatherFor);
      endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const work = async (): Promise<void> => {
    await gathered();
    const mine = era;
    const { signal } = mine.giveUp;
    while (!signal.aborted) {
      const part = next(mine);
      if (part !== null) {
        await handOver(mine, part);
        if (gatherFor > 0 && !waiting.isEmpty) await gathered();
      } else if (mine.failed.length === 0) return;
      else await sleep(longestRest, undefined, { signal }).catch(() => {});
    }
  };

  const begin = (): void => {
    const hand = work().finally(() => {
      working.delete(hand);
      if (working.size === 0 && !waiting.isEmpty) begin();
    });
    working.add(hand);
  };

  return {
    queue,
    take(arrival) {
      waiting.add(arrival);
      const isNeeded = working.size === 0 || waiting.isFull(max) || isFailing(era);
      if (isNeeded && working.size < hands) begin();
      if (gatherFor > 0 && waiting.isFull(max)) endGathering?.();
    },
    /** A batch in hand that fails is not tried again. */
    async drain() {
      waiting.clear();
      era.giveUp.abort();
      endGathering?.();
      era = newEra();
      await Promise.all(working);
    },
    get standstill() {
      return standstillOf(queue, era);
    },
    get oldestMs() {
      const [oldest] = era.begun;
      return oldest === undefined ? 0 : performance.now() - oldest.since;
    },
  };
}

const neverTried = { failures: 0, error: null, failedAt: 0, notBefore: 0, handledBefore: 0 };

function halvesOf({ items, error, failedAt, handledBefore }: Part): readonly Part[] {
  const middle = Math.ceil(items.length / 2);
  const rest = { ...neverTried, error, failedAt, handledBefore };
  return [
    { items: items.slice(0, middle), ...rest },
    { items: items.slice(middle), ...rest },
  ];
}

const failing = ({ failed, retried }: Era): readonly Part[] =>
  [...failed, ...retried].filter(({ failedAt }) => failedAt > 0);

const isFailing = (era: Era): boolean => failing(era).length > 0;

function standstillOf(queue: string, era: Era): Standstill | null {
  const [oldest] = failing(era).toSorted((a, b) => a.failedAt - b.failedAt);
  if (oldest === undefined) return null;
  const { items, failures, failedAt, error } = oldest;
  return {
    queue,
    messages: items.length,
    failures,
    forMs: performance.now() - failedAt,
    error: error instanceof Error ? error.message : String(error),
  };
}

function finish(era: Era, items: readonly Item[]): void {
  for (const { begun } of items) begun.left -= 1;
  const open = era.begun.findIndex(({ left }) => left > 0);
  const done = open === -1 ? era.begun : era.begun.slice(0, open);
  era.begun = open === -1 ? [] : era.begun.slice(open);
  acknowledge(done.map(({ arrival }) => arrival));
  if (era.begun[0]?.hasFailed) era.begun = era.begun.filter(isOpen);
}

/** What comes after a message that failed is acknowledged by itself. */
function isOpen({ left, arrival }: Begun): boolean {
  if (left === 0) arrival.settle();
  return left > 0;
}

/**
 * One acknowledgement for all that is left of messages that follow one another on a channel:
 * everything before them has been settled.
 */
function acknowledge(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) if (!arrival.isGood) arrival.settle();
  const rest = arrivals.filter(({ isSettled }) => !isSettled);
  const last = rest.at(-1);
  for (const arrival of rest) arrival.settled();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
}
