import { newPart, type Part } from "./failed-parts.ts";
import { type ChannelWork, newChannelWork, type PartOptions, partHandler } from "./handle-part.ts";
import type { InboundMessage } from "./inbound-message.ts";
import type { Intake } from "./subscriptions.ts";

interface Options extends PartOptions {
  /** How many deliveries make a batch full. */
  readonly max: number;
  /** How long a batch that is not full waits for more, in milliseconds. */
  readonly collectFor?: number | undefined;
}

/** A full batch need not wait for the one before it: while one is being stored, another is worked at. */
const maxWorkers = 2;
/** One more, for urgent messages alone: they wait for no other batch, and for no more than one of their own. */
const urgentWorkers = 1;

/**
 * Collects deliveries while a batch is being handled, and hands them over together next. A batch that fails
 * keeps no other waiting.
 */
export function handleBatches(options: Options): Intake {
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
 * Starts workers, of which at most so many work at the same time. Each works until it finds nothing to do; the last
 * one is replaced if something has come in since.
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

/** Parsed, messages take up to fifteen times the memory of their bytes: three batches hold no more than that each. */
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
