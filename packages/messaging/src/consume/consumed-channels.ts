import type { Channel, ConsumeMessage } from "amqplib";
import { ofQueue } from "../connection/in-time.ts";
import type { Subscription } from "./subscriptions.ts";

type TakeWithin = (channel: Channel, message: ConsumeMessage, of: Subscription) => void;

/** The consumers of one subscription on its channel, which is a new one after each that died. */
export function consumedChannels(subscription: Subscription, takeWithin: TakeWithin) {
  let current: { readonly channel: Channel; tags: readonly string[] } | null = null;
  /** One command after the other: the last `refresh` decides. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = (command: () => Promise<void>): Promise<void> => {
    const done = turn.then(command);
    turn = done.catch(() => {});
    return done;
  };

  const consume = async (channel: Channel): Promise<readonly string[]> => {
    const take = (message: ConsumeMessage | null): void => {
      // Null: the broker cancelled us, such as when the queue was deleted. Begin anew.
      if (message === null) void channel.close().catch(() => {});
      else takeWithin(channel, message, subscription);
    };
    const queues = await subscription.queues(channel);
    const opening = queues
      .filter(({ prefetch }) => prefetch > 0)
      .map(async ({ queue, priority, prefetch }) => {
        // Counts for consumers from then on: the broker carries out what it is sent in order.
        const limited = channel.prefetch(prefetch);
        const options = priority === undefined ? {} : { priority };
        const consuming = ofQueue(queue, channel.consume(queue, take, options));
        const [consumer] = await Promise.all([consuming, limited]);
        return consumer.consumerTag;
      });
    return Promise.all(opening);
  };

  const cancelAll = async (channel: Channel, tags: readonly string[]): Promise<void> => {
    const cancelling = tags.map((tag) => ofQueue(subscription.name, channel.cancel(tag)));
    await Promise.all(cancelling.map((cancelled) => cancelled.catch(() => {})));
  };

  return {
    async consume(channel: Channel): Promise<void> {
      channel.once("close", () => {
        if (current?.channel === channel) current = null;
      });
      current = { channel, tags: [] };
      // Not in turn: a command on the channel before may still wait for its answer.
      turn = Promise.resolve();
      await inTurn(async () => {
        const tags = await consume(channel);
        if (current?.channel === channel) current.tags = tags;
      });
    },
    cancel: (channel: Channel): Promise<void> =>
      inTurn(() => cancelAll(channel, current?.channel === channel ? current.tags : [])),
    /** Does nothing without a channel: the next one begins with what is wanted then. */
    refresh(): Promise<void> {
      const known = current;
      return inTurn(async () => {
        if (known === null || known !== current) return;
        await cancelAll(known.channel, known.tags);
        known.tags = [];
        known.tags = await consume(known.channel).catch(() => {
          // Closed by then, or the queue is gone: a new channel begins anew.
          void known.channel.close().catch(() => {});
          return [];
        });
      });
    },
  };
}
