import type { Channel, ConsumeMessage } from "amqplib";
import { type Arrival, channelClosed, toArrival } from "./arrival.ts";
import { ofQueue } from "./in-time.ts";
import { type ChannelLog, type KeptChannel, keepChannel } from "./keep-channel.ts";

/** What takes the messages of one consumer. */
export interface Intake {
  take(arrival: Arrival): void;
  /**
   * For a channel that is gone or is about to be closed: the broker will deliver again what was not
   * begun. Resolves when nothing is in hand.
   */
  drain(): Promise<void>;
}

/** A queue, and how far we come before others who consume it: the highest gets what it can take. */
interface QueueSource {
  readonly queue: string;
  readonly priority?: number;
}

interface Subscription {
  /** Shows in the logs. */
  readonly name: string;
  /** What is consumed on this new channel, as if it were one queue. */
  readonly sources: (channel: Channel) => Promise<readonly QueueSource[]>;
  readonly prefetch: number;
  readonly intake: Intake;
}

interface Options {
  readonly name: string;
  readonly createChannel: () => Promise<Channel>;
  readonly declare: (channel: Channel) => Promise<void>;
  readonly log: ChannelLog;
}

/** Consumers that come back with their queue, channel or connection. */
export function subscriptions({ name, createChannel, declare, log }: Options) {
  const open = new Set<KeptChannel<Channel>>();

  const subscribe = async (subscription: Subscription): Promise<AsyncDisposable> => {
    const { sources, prefetch, intake } = subscription;
    let consumerTags: readonly string[] = [];
    const kept = await keepChannel({
      name: `${name} ${subscription.name}`,
      create: createChannel,
      open: async (channel) => {
        await declare(channel);
        channel.once("close", () => {
          channelClosed(channel);
          void intake.drain();
        });
        await channel.prefetch(prefetch);
        const take = (message: ConsumeMessage | null): void => {
          // Null: the broker cancelled us, such as when the queue was deleted. Begin anew.
          if (message === null) void channel.close().catch(() => {});
          else intake.take(toArrival(channel, message));
        };
        const consuming = (await sources(channel)).map(({ queue, priority }) =>
          ofQueue(queue, channel.consume(queue, take, priority === undefined ? {} : { priority })),
        );
        consumerTags = (await Promise.all(consuming)).map(({ consumerTag }) => consumerTag);
      },
      closing: async (channel) => {
        await Promise.all(consumerTags.map((tag) => channel.cancel(tag).catch(() => {})));
        await intake.drain();
      },
      log,
    });
    open.add(kept);
    return {
      async [Symbol.asyncDispose]() {
        open.delete(kept);
        await kept[Symbol.asyncDispose]();
        await intake.drain();
      },
    };
  };

  return {
    subscribe,
    /** Whether every consumer has its channel. */
    areAlive: (): boolean => [...open].every(({ current }) => current !== null),
  };
}
