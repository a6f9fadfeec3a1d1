import type { Channel, ConsumeMessage } from "amqplib";
import { ofQueue } from "../connection/in-time.ts";

/** A queue, and how far we come before others who consume it: the highest gets what it can take. */
interface ConsumedQueue {
  readonly queue: string;
  readonly priority?: number;
  /** How many of its messages may be unacknowledged at a time. 0: it is not consumed for now. */
  readonly prefetch: number;
}

export interface ConsumedQueues {
  /** Shows in the logs. */
  readonly name: string;
  /** What is consumed on this channel, as if it were one queue. */
  readonly queues: (channel: Channel) => Promise<readonly ConsumedQueue[]>;
}

type Take = (channel: Channel, message: ConsumeMessage) => void;

/** The consumers of one subscription on its channel, which is a new one after each that died. */
export function consumedChannels(consumed: ConsumedQueues, take: Take) {
  let current: { readonly channel: Channel; tags: readonly string[] } | null = null;
  /** One command after the other: the last `refresh` decides. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = (command: () => Promise<void>): Promise<void> => {
    const done = turn.then(command);
    turn = done.catch(() => {});
    return done;
  };

  const cancelAll = async (channel: Channel, tags: readonly string[]): Promise<void> => {
    const cancelling = tags.map((tag) => ofQueue(consumed.name, channel.cancel(tag)));
    await Promise.all(cancelling.map((cancelled) => cancelled.catch(() => {})));
  };

  return {
    async consume(channel: Channel): Promise<void> {
      const mine = { channel, tags: [] as readonly string[] };
      channel.once("close", () => {
        if (current === mine) current = null;
      });
      current = mine;
      // Not in turn: a command on the channel before may still wait for its answer.
      turn = Promise.resolve();
      await inTurn(async () => {
        mine.tags = await consumeAll(channel, consumed, take);
      });
    },
    cancel: (channel: Channel): Promise<void> =>
      inTurn(() => cancelAll(channel, current?.channel === channel ? current.tags : [])),
    /** Does nothing without a channel: the next one begins with what is wanted then. */
    refresh: (): Promise<void> => {
      const known = current;
      return inTurn(async () => {
        if (known === null || known !== current) return;
        await cancelAll(known.channel, known.tags);
        known.tags = await consumeAll(known.channel, consumed, take).catch(() => {
          // The channel is closed, or the queue is gone: a new channel begins anew.
          void closeAnyway(known.channel);
          return [];
        });
      });
    },
  };
}

/** Consumes all queues of it. Resolves to the tags of the consumers. */
async function consumeAll(
  channel: Channel,
  consumed: ConsumedQueues,
  take: Take,
): Promise<readonly string[]> {
  const takeOrClose = (message: ConsumeMessage | null): void => {
    // Null: the broker cancelled us, such as when the queue was deleted. Begin anew.
    if (message === null) void closeAnyway(channel);
    else take(channel, message);
  };
  const queues = (await consumed.queues(channel)).filter(({ prefetch }) => prefetch > 0);
  const opening = queues.map(async ({ queue, priority, prefetch }) => {
    // Counts for consumers from then on: the broker carries out what it is sent in order.
    const limited = channel.prefetch(prefetch);
    const options = priority === undefined ? {} : { priority };
    const consuming = ofQueue(queue, channel.consume(queue, takeOrClose, options));
    const [consumer] = await Promise.all([consuming, limited]);
    return consumer.consumerTag;
  });
  return Promise.all(opening);
}

/** Closing a channel that is closed throws at once. */
async function closeAnyway(channel: Channel): Promise<void> {
  await channel.close().catch(() => {});
}
