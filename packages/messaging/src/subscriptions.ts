import type { Channel } from "amqplib";
import { type Arrival, toArrival } from "./arrival.ts";
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

interface Subscription {
  /** A queue; or an exchange, from which a queue of our own is filled for as long as its channel lives. */
  readonly source: { readonly queue: string } | { readonly exchange: string };
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

  const subscribe = async ({
    source,
    prefetch,
    intake,
  }: Subscription): Promise<AsyncDisposable> => {
    let consumerTag = "";
    const kept = await keepChannel({
      name: `${name} ${"queue" in source ? source.queue : source.exchange}`,
      create: createChannel,
      open: async (channel) => {
        await declare(channel);
        channel.once("close", () => void intake.drain());
        await channel.prefetch(prefetch);
        const queue = "queue" in source ? source.queue : await ownQueue(channel, source.exchange);
        ({ consumerTag } = await channel.consume(queue, (message) => {
          // Null: the broker cancelled us, such as when the queue was deleted. Begin anew.
          if (message === null) void channel.close().catch(() => {});
          else intake.take(toArrival(channel, message));
        }));
      },
      closing: async (channel) => {
        await channel.cancel(consumerTag).catch(() => {});
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

/** Nobody else's, and gone with its channel. */
async function ownQueue(channel: Channel, exchange: string): Promise<string> {
  const { queue } = await channel.assertQueue("", {
    exclusive: true,
    autoDelete: true,
    durable: false,
  });
  await channel.bindQueue(queue, exchange, "");
  return queue;
}
