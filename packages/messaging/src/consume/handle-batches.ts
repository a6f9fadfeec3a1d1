import { errorText } from "@holdfast/domain";
import type { Delivery, StalledConsumer } from "../broker.ts";
import { attempt, type InboundMessage, type OpenDelivery } from "./inbound-message.ts";
import { isOfSurroundings, remedyFor } from "./remedy-for-failure.ts";
import type { Intake } from "./subscriptions.ts";

interface HandleOptions extends PartOptions {
  /** How many deliveries make a batch full. */
  readonly max: number;
  /** How long a batch that is not full waits for more, in milliseconds. */
  readonly collectFor?: number | undefined;
}

/**
 * A full batch need not wait for the one before it: while one is being stored, another is worked
 * at.
 */
const maxWorkers = 2;
/**
 * One more, for urgent messages alone: they wait for no other batch, and for no more than one of
 * their own.
 */
const urgentWorkers = 1;

/**
 * Collects deliveries while a batch is being handled, and hands them over together next. A batch
 * that fails keeps no other waiting.
 */
export function handleBatches(options: HandleOptions): Intake {
  const { queue, max, collectFor = 0 } = options;
  const [waiting, urgent] = [waitingMessages(), waitingMessages()];
  const handlePart = partHandler(options);
  const next = partChooser(waiting, max);
  const [collecting, arrivals] = [bell(), bell()];
  let channelWork = newChannelWork();
  const collect = () => filled(collecting, waiting.isFull(max) ? 0 : collectFor);
  const work = async (): Promise<void> => {
    await collect();
    const mine = channelWork;
    while (!mine.giveUp.signal.aborted) {
      const part = next(mine);
      if (part !== null) {
        await handlePart(mine, part);
        if (collectFor > 0 && !waiting.isEmpty) await collect();
      } else if (mine.failed.waiting.length === 0) return;
      else await arrivals.orAfter(mine.failed.nextDue() - performance.now());
    }
  };
  const usual = workers(maxWorkers, work, () => !waiting.isEmpty);

  /** What fails of it is retried by the others. */
  const hurry = async (): Promise<void> => {
    const mine = channelWork;
    while (!mine.giveUp.signal.aborted && !urgent.isEmpty) {
      await handlePart(mine, newPart(mine.open.begin(urgent.take(max), performance.now())));
    }
    if (mine.failed.waiting.length > 0 && usual.areIdle) usual.start();
    arrivals.ring();
  };
  const hurried = workers(urgentWorkers, hurry, () => !urgent.isEmpty);

  return {
    queue,
    take(message) {
      channelWork.open.arrived(message);
      (message.isUrgent ? urgent : waiting).add(message);
      if (message.isUrgent) return hurried.start();
      if (usual.areIdle || waiting.isFull(max) || channelWork.failed.isFailing()) usual.start();
      arrivals.ring();
      if (collectFor > 0 && waiting.isFull(max)) collecting.ring();
    },
    /** A batch that fails meanwhile is not retried. */
    async drain() {
      for (const messages of [waiting, urgent]) messages.clear();
      channelWork.giveUp.abort();
      collecting.ring();
      arrivals.ring();
      channelWork = newChannelWork();
      await Promise.all([usual.ended(), hurried.ended()]);
    },
    get stalledConsumer() {
      return channelWork.failed.stalledConsumer(queue);
    },
    get oldestMs() {
      return channelWork.open.oldestMs;
    },
  };
}

/** Waits for a batch to fill: at least for all that arrived in the same read of the socket. */
const filled = (collecting: ReturnType<typeof bell>, ms: number): Promise<void> =>
  ms === 0 ? new Promise((resolve) => void setImmediate(resolve)) : collecting.orAfter(ms);

/** Ends what workers wait for, of all of them and before its time. */
function bell() {
  const resting = new Set<() => void>();
  return {
    ring(): void {
      for (const end of resting) end();
    },
    orAfter: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          resting.delete(end);
          resolve();
        };
        const timer = setTimeout(end, Math.max(0, ms));
        resting.add(end);
      }),
  };
}

/** Chooses the next part: parts that failed and messages that wait take turns. */
function partChooser(waiting: ReturnType<typeof waitingMessages>, max: number) {
  let isTurnOfFailed = false;
  return ({ open, failed }: ChannelWork): Part | null => {
    const now = performance.now();
    const index = failed.indexOfDue(now);
    isTurnOfFailed = index !== -1 && (!isTurnOfFailed || waiting.isEmpty);
    if (isTurnOfFailed) return failed.waiting.splice(index, 1)[0] ?? null;
    const items = open.begin(waiting.take(max), now);
    return items.length === 0 ? null : newPart(items);
  };
}

/**
 * Starts workers, of which at most so many work at the same time. Each works until it finds nothing
 * to do; the last one is replaced if something has come in since.
 */
function workers(most: number, work: () => Promise<void>, isNeeded: () => boolean) {
  const working = new Set<Promise<void>>();
  const start = (): void => {
    if (working.size >= most) return;
    const worker = work().finally(() => {
      working.delete(worker);
      if (working.size === 0 && isNeeded()) start();
    });
    working.add(worker);
  };
  return {
    start,
    get areIdle(): boolean {
      return working.size === 0;
    },
    ended: async (): Promise<void> => void (await Promise.all(working)),
  };
}

/**
 * Parsed, messages take up to fifteen times the memory of their bytes: three batches hold no more
 * than that each.
 */
const maxBytes = 1024 * 1024;

/** Messages whose handling has not begun, in the order of arrival. */
function waitingMessages() {
  let waiting: InboundMessage[] = [];
  let deliveries = 0;
  let bytes = 0;

  return {
    add(message: InboundMessage): void {
      waiting.push(message);
      deliveries += message.deliveries.length;
      bytes += message.bytes;
    },
    get isEmpty(): boolean {
      return waiting.length === 0;
    },
    /** Whether it would make a batch of `max` deliveries full. */
    isFull: (max: number): boolean => deliveries >= max || bytes >= maxBytes,
    /** Takes as many as make a batch full, and at least one: what came together stays together. */
    take(max: number): readonly InboundMessage[] {
      let [takenDeliveries, takenBytes] = [0, 0];
      const last = waiting.findIndex((message) => {
        takenDeliveries += message.deliveries.length;
        takenBytes += message.bytes;
        return takenDeliveries >= max || takenBytes >= maxBytes;
      });
      const taken = last === -1 ? waiting : waiting.slice(0, last + 1);
      waiting = last === -1 ? [] : waiting.slice(last + 1);
      deliveries -= takenDeliveries;
      bytes -= takenBytes;
      return taken;
    },
    clear(): void {
      waiting = [];
      deliveries = 0;
      bytes = 0;
    },
  };
}

interface PartOptions {
  readonly queue: string;
  /** How many messages may be unacknowledged at a time. */
  readonly prefetch: number;
  readonly handle: (batch: readonly Delivery[]) => Promise<void>;
  /** Stores a delivery that cannot be handled. Without it, the delivery is rejected. */
  readonly deadLetter?: ((delivery: Delivery, error: unknown) => Promise<void>) | undefined;
  /** Asks for a prefetch beside the one that is filled by what fails. */
  readonly makeRoom: () => void;
  readonly log: { error(fields: object, message: string): void };
}

/** Milliseconds until a delivery that could not be dead-lettered is tried again. */
const deadLetterRetryDelay = 10_000;

/** What came on one channel. */
const newChannelWork = () => ({
  open: openMessages(),
  failed: failedParts(),
  /** Room was made for others: what fails has half of the prefetch or more. */
  hasRoom: false,
  /** Aborted when the channel is gone. */
  giveUp: new AbortController(),
});

type ChannelWork = ReturnType<typeof newChannelWork>;

/**
 * Handles parts of batches; a part that fails is retried, split or dead-lettered, as `remedyFor`
 * says. It rests by itself until then: its worker goes on with others.
 */
function partHandler(options: PartOptions) {
  const { handle } = options;
  const { succeeded, failedOnceMore, onFailure } = remedies(options);

  return async (work: ChannelWork, part: Part): Promise<void> => {
    const unacknowledged = part.items.filter(({ delivery }) => !delivery.isAcknowledged);
    const { open, failed, giveUp } = work;
    let current = part;
    failed.retried.add(current);
    try {
      if (unacknowledged.length > 0) await handle(unacknowledged.map(({ delivery }) => delivery));
      succeeded(work);
      open.finish(part.items);
    } catch (error) {
      failed.retried.delete(current);
      current = failedOnceMore(part, error);
      failed.retried.add(current);
      if (!giveUp.signal.aborted) await onFailure(work, current);
    } finally {
      failed.retried.delete(current);
      if (!failed.isFailing()) work.hasRoom = false;
    }
  };
}

/** What becomes of parts that fail, by what is known of the others of this consumer. */
function remedies({ queue, prefetch, deadLetter, makeRoom, log }: PartOptions) {
  let handled = 0;
  let outages = 0;

  const succeeded = ({ failed }: ChannelWork): void => {
    handled += 1;
    outages = 0;
    failed.storeWorks();
  };

  const failedOnceMore = (part: Part, error: unknown): Part => {
    const failures = part.failures + 1;
    // What it was split from may have failed before.
    if (part.failedAt > 0) return { ...part, error, failures };
    return { ...part, error, failures, failedAt: performance.now(), handledBefore: handled };
  };

  const onFailure = async (work: ChannelWork, part: Part): Promise<void> => {
    const { open, failed } = work;
    const { items, failures, error } = part;
    for (const item of items) item.of.hasFailed = true;
    const othersSucceeded = handled > part.handledBefore;
    const isCrowded = 2 * failed.deliveries() >= prefetch;
    const facts = { size: items.length, failures, othersSucceeded, isCrowded };
    const remedy = remedyFor(facts, error);
    // An outage must not flood the log.
    if (remedy === "deadLetter" || Number.isInteger(Math.log2(failures))) {
      log.error({ err: error, queue, messages: items.length, failures, remedy }, "batch failed");
    }
    if (isOfSurroundings(error) && !othersSucceeded) {
      outages += 1;
      failed.storeFailed(performance.now() + restAfter(outages));
    }
    if (remedy === "split") failed.waiting.unshift(...partsOf(part, Math.ceil(items.length / 2)));
    else if (remedy === "single") failed.waiting.unshift(...partsOf(part, 1));
    else if (remedy === "deadLetter") {
      if (await deadLetterAll(part, { queue, deadLetter, log })) {
        // The store took it.
        if (deadLetter !== undefined) succeeded(work);
        open.finish(items);
      } else failed.waiting.push({ ...part, notBefore: performance.now() + deadLetterRetryDelay });
    } else {
      failed.waiting.push({ ...part, notBefore: performance.now() + restAfter(failures) });
      if (isCrowded && !work.hasRoom) makeRoom();
      work.hasRoom ||= isCrowded;
    }
  };

  return { succeeded, failedOnceMore, onFailure };
}

/** Resolves to whether every delivery of the part is acknowledged, or stored as a dead letter. */
async function deadLetterAll(
  { items, error }: Part,
  { queue, deadLetter, log }: Pick<PartOptions, "queue" | "deadLetter" | "log">,
): Promise<boolean> {
  try {
    for (const { delivery } of items) {
      if (deadLetter === undefined) delivery.reject();
      else await deadLetter(delivery, error);
    }
    return true;
  } catch (err) {
    log.error({ err, queue }, "message not dead-lettered");
    return false;
  }
}

/** A message that is not acknowledged. */
interface OpenMessage {
  readonly message: InboundMessage;
  /** When its handling began; null: it waits. */
  since: number | null;
  /** How many deliveries in it are not handled. */
  left: number;
  /**
   * One of them could not be handled: later messages are acknowledged without waiting for this one.
   */
  hasFailed: boolean;
}

/** A delivery with the message that it came in. */
interface Item {
  readonly delivery: OpenDelivery;
  readonly of: OpenMessage;
}

/**
 * The messages of one channel that are not acknowledged, in the order of their arrival. An
 * acknowledgement of one includes all before it, so it waits for those that an urgent one has
 * overtaken.
 */
function openMessages() {
  const open = new Map<InboundMessage, OpenMessage>();
  const closeHandled = (): readonly InboundMessage[] => {
    const handled: InboundMessage[] = [];
    for (const [message, { left }] of open) {
      if (left > 0) break;
      open.delete(message);
      handled.push(message);
    }
    return handled;
  };
  return {
    arrived(message: InboundMessage): void {
      open.set(message, {
        message,
        since: null,
        left: message.deliveries.length,
        hasFailed: false,
      });
    },
    begin(messages: readonly InboundMessage[], since: number): readonly Item[] {
      const begun = messages.flatMap((message) => open.get(message) ?? []);
      for (const of of begun) of.since = since;
      return begun.flatMap((of) => of.message.deliveries.map((delivery) => ({ delivery, of })));
    },
    /** Acknowledges the messages that are now handled as a whole, with all before them. */
    finish(items: readonly Item[]): void {
      for (const { of } of items) of.left -= 1;
      acknowledge(closeHandled());
      const [first] = open.values();
      if (first?.hasFailed) for (const one of open.values()) closeAlone(open, one);
    },
    get oldestMs(): number {
      const [oldest] = [...open.values()].flatMap(({ since }) => since ?? []).toSorted(ascending);
      return oldest === undefined ? 0 : performance.now() - oldest;
    },
  };
}

const ascending = (a: number, b: number): number => a - b;

/** A message behind one that failed is acknowledged by itself. */
function closeAlone(open: Map<InboundMessage, OpenMessage>, { left, message }: OpenMessage): void {
  if (left > 0) return;
  message.acknowledge();
  open.delete(message);
}

/**
 * Sends one acknowledgement for messages that follow one another on a channel: all before them are
 * acknowledged.
 */
function acknowledge(messages: readonly InboundMessage[]): void {
  for (const message of messages) if (!message.isGood) message.acknowledge();
  const rest = messages.filter(({ isAcknowledged }) => !isAcknowledged);
  const last = rest.at(-1);
  for (const message of rest) message.acknowledged();
  if (last !== undefined) attempt(() => last.channel.ack(last.message, true));
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

const neverTried = { failures: 0, error: null, failedAt: 0, notBefore: 0, handledBefore: 0 };

const newPart = (items: readonly Item[]): Part => ({ items, ...neverTried });

/** Milliseconds between two tries, doubled with each failure in a row. */
const retryDelay = { shortest: 100, longest: 1_000 };

/** How long what failed so often in a row rests, in milliseconds. */
const restAfter = (failures: number): number =>
  Math.min(retryDelay.longest, retryDelay.shortest * 2 ** (failures - 1));

/** The parts of one channel that failed, those that are being retried included. */
function failedParts() {
  const waiting: Part[] = [];
  const retried = new Set<Part>();
  /**
   * The instant until which the store is left alone by all that it failed; 0: it works, as far as
   * is known.
   */
  let outageUntil = 0;
  const dueAt = ({ notBefore, failures, error }: Part): number =>
    failures > 0 && isOfSurroundings(error) ? Math.max(notBefore, outageUntil) : notBefore;
  const failing = (): readonly Part[] =>
    [...waiting, ...retried].filter(({ failedAt }) => failedAt > 0);
  return {
    waiting,
    retried,
    /** Asked for each message. */
    isFailing: (): boolean =>
      waiting.length > 0 || [...retried].some(({ failedAt }) => failedAt > 0),
    /** How many deliveries are in parts that failed. */
    deliveries: (): number => failing().reduce((sum, { items }) => sum + items.length, 0),
    /** The index of the next part that may be retried; -1: there is none. */
    indexOfDue: (now: number): number => waiting.findIndex((part) => dueAt(part) <= now),
    /** When the first of them may be retried. */
    nextDue: (): number => Math.min(...waiting.map(dueAt)),
    storeFailed: (until: number): void => {
      outageUntil = until;
    },
    storeWorks: (): void => {
      outageUntil = 0;
    },
    stalledConsumer(queue: string): StalledConsumer | null {
      const [oldest] = failing().toSorted((a, b) => a.failedAt - b.failedAt);
      if (oldest === undefined) return null;
      const { items, failures, failedAt, error } = oldest;
      return {
        queue,
        messages: items.length,
        failures,
        forMs: performance.now() - failedAt,
        error: errorText(error),
      };
    },
  };
}

/** Divides the same deliveries into parts of at most so many, which may be retried at once. */
function partsOf({ items, error, failedAt, handledBefore }: Part, size: number): readonly Part[] {
  const history = { ...neverTried, error, failedAt, handledBefore };
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => ({
    items: items.slice(index * size, (index + 1) * size),
    ...history,
  }));
}
