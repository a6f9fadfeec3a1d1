import type { Channel, ConsumeMessage } from "amqplib";
import { ofQueue } from "../connection/in-time.ts";

/** A queue, and how far we come before others who consume it: the highest gets what it can take. */
interface ConsumedQueue {
  readonly queue: string;
  readonly priority?: number;
  /** How many of its messages may be unacknowledged at a time. */
  readonly prefetch: number;
}

/** What is consumed on a channel, as if it were one queue. */
export type ConsumedQueues = (channel: Channel) => Promise<readonly ConsumedQueue[]>;

/** Takes a message; `onAcknowledged` is to be called once the broker has been sent the end of it. */
export type Take = (channel: Channel, message: ConsumeMessage, onAcknowledged: () => void) => void;

/** The consumers of one subscription on its channel, which is a new one after each that died. */
export interface Consumers {
  readonly consume: (channel: Channel) => Promise<void>;
  readonly cancel: (channel: Channel) => Promise<void>;
  /**
   * Consumes what is wanted now. Does nothing without a channel: the next one begins with what is wanted then. What was
   * delivered before stays to be acknowledged.
   */
  readonly refresh: () => Promise<void>;
}

const nothing = (): void => {};

/** Consumes several queues as if they were one. A refresh begins anew: what was delivered before counts in no prefetch. */
export function consumedChannels(name: string, queues: ConsumedQueues, take: Take): Consumers {
  let current: { readonly channel: Channel; tags: readonly string[] } | null = null;
  const turns = commandsInTurn();
  /** Resolves to the tags of the consumers. */
  const consumeAll = async (channel: Channel): Promise<readonly string[]> => {
    const onMessage = takeOrClose(channel, (message) => take(channel, message, nothing));
    const opening = (await queues(channel)).map(async ({ queue, priority, prefetch }) => {
      // Counts for consumers from then on: the broker carries out what it is sent in order.
      const limited = channel.prefetch(prefetch);
      const options = priority === undefined ? {} : { priority };
      const consuming = ofQueue(queue, channel.consume(queue, onMessage, options));
      const [consumer] = await Promise.all([consuming, limited]);
      return consumer.consumerTag;
    });
    return Promise.all(opening);
  };

  return {
    async consume(channel) {
      const mine = { channel, tags: [] as readonly string[] };
      channel.once("close", () => {
        if (current === mine) current = null;
      });
      current = mine;
      turns.beginAnew();
      await turns.inTurn(async () => {
        mine.tags = await consumeAll(channel);
      });
    },
    cancel: (channel) =>
      turns.inTurn(() =>
        cancelled(channel, name, current?.channel === channel ? current.tags : []),
      ),
    refresh() {
      const known = current;
      return turns.inTurn(async () => {
        if (known === null || known !== current) return;
        await cancelled(known.channel, name, known.tags);
        known.tags = await consumeAll(known.channel).catch(() => {
          // The channel is closed, or the queue is gone: a new channel begins anew.
          void closeAnyway(known.channel);
          return [];
        });
      });
    },
  };
}

/** One command after the other. */
export function commandsInTurn() {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    inTurn(command: () => Promise<void>): Promise<void> {
      const done = turn.then(command);
      turn = done.catch(() => {});
      return done;
    },
    /** Begins anew for a new channel: a command on the one before may still wait for its answer. */
    beginAnew(): void {
      turn = Promise.resolve();
    },
  };
}

/** Cancels consumers, those too that are gone. */
export async function cancelled(
  channel: Channel,
  name: string,
  tags: readonly string[],
): Promise<void> {
  const cancelling = tags.map((tag) => ofQueue(name, channel.cancel(tag)));
  await Promise.all(cancelling.map((one) => one.catch(() => {})));
}

/** What a consumer is called with. Null: the broker cancelled it, such as when the queue was deleted. Begin anew. */
export const takeOrClose =
  (channel: Channel, take: (message: ConsumeMessage) => void) =>
  (message: ConsumeMessage | null): void => {
    if (message === null) void closeAnyway(channel);
    else take(message);
  };

/** Closing a channel that is closed throws at once. */
export async function closeAnyway(channel: Channel): Promise<void> {
  await channel.close().catch(() => {});
}
