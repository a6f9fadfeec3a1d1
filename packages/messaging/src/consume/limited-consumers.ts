import type { Channel } from "amqplib";
import { ofQueue } from "../connection/in-time.ts";
import {
  type Consumers,
  cancelled,
  closeAnyway,
  commandsInTurn,
  type Take,
  takeOrClose,
} from "./subscriptions.ts";

interface LimitedQueue {
  readonly queue: string;
  /** How many messages may be unacknowledged at a time, at this moment. */
  readonly limit: () => number;
}

/**
 * What is consumed on one channel. A new channel begins with nothing: what was delivered on another
 * one is gone.
 */
interface OnChannel {
  readonly channel: Channel;
  /** The prefetch of each consumer, by its tag. */
  readonly live: Map<string, number>;
  /** How many messages of each consumer are unacknowledged, those of cancelled ones too. */
  readonly unacknowledged: Map<string, number>;
}

/** Consumers that share the limit at most, before one takes the place of all. */
const mostConsumers = 16;
/**
 * What becomes free of messages of cancelled consumers is given to a new one in parts of the limit,
 * not one by one.
 */
const parts = 8;

/**
 * Consumes one queue with a limit that changes: at no time does a message arrive that makes more of
 * them unacknowledged than the limit allows. RabbitMQ counts for each consumer, a limit cannot be
 * changed, and what a cancelled consumer was given counts no more. So the limit is shared: by the
 * consumers there are, by their prefetch, and by what cancelled ones were given. A higher limit is
 * a further consumer for the difference. A lower one cancels all, and the next takes what those
 * leave as it is acknowledged.
 */
export function limitedConsumers({ queue, limit }: LimitedQueue, take: Take): Consumers {
  let current: OnChannel | null = null;
  const turns = commandsInTurn();

  const open = async (on: OnChannel, prefetch: number): Promise<void> => {
    const { channel, unacknowledged } = on;
    const onMessage = takeOrClose(channel, (message) => {
      const tag = message.fields.consumerTag;
      unacknowledged.set(tag, (unacknowledged.get(tag) ?? 0) + 1);
      take(channel, message, () => acknowledged(on, tag));
    });
    // Counts for consumers from then on: the broker carries out what it is sent in order.
    const limited = channel.prefetch(prefetch);
    const consuming = ofQueue(queue, channel.consume(queue, onMessage));
    const [{ consumerTag }] = await Promise.all([consuming, limited]);
    on.live.set(consumerTag, prefetch);
  };

  const adjust = async (on: OnChannel): Promise<void> => {
    const room = roomOf(on, limit());
    if (room < 0 || (room > 0 && on.live.size >= mostConsumers)) await cancelAll(on, queue);
    if (isEnough(on, limit())) await open(on, roomOf(on, limit()));
  };

  const acknowledged = (on: OnChannel, tag: string): void => {
    const left = (on.unacknowledged.get(tag) ?? 0) - 1;
    if (left > 0) on.unacknowledged.set(tag, left);
    else on.unacknowledged.delete(tag);
    if (!on.live.has(tag) && isEnough(on, limit())) void refresh();
  };

  const refresh = (): Promise<void> => {
    const on = current;
    return turns.inTurn(async () => {
      if (on === null || on !== current) return;
      // The channel is closed, or the queue is gone: a new channel begins anew.
      await adjust(on).catch(() => closeAnyway(on.channel));
    });
  };

  return {
    async consume(channel) {
      const mine = { channel, live: new Map(), unacknowledged: new Map() };
      channel.once("close", () => {
        if (current === mine) current = null;
      });
      current = mine;
      turns.beginAnew();
      await turns.inTurn(() => adjust(mine));
    },
    cancel: (channel) =>
      turns.inTurn(async () => {
        const on = current;
        if (on?.channel !== channel) return;
        current = null;
        await cancelAll(on, queue);
      }),
    refresh,
  };
}

async function cancelAll({ channel, live }: OnChannel, queue: string): Promise<void> {
  await cancelled(channel, queue, [...live.keys()]);
  live.clear();
}

const sum = (numbers: Iterable<number>): number => {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
};

/** Messages of consumers that are cancelled, and not acknowledged yet. */
const leftOver = ({ live, unacknowledged }: OnChannel): number =>
  sum([...unacknowledged].map(([tag, count]) => (live.has(tag) ? 0 : count)));

/** What is left of the limit for another consumer; negative: more is given out than it allows. */
const roomOf = (on: OnChannel, limit: number): number =>
  limit - sum(on.live.values()) - leftOver(on);

/** Whether another consumer is worth it. */
function isEnough(on: OnChannel, limit: number): boolean {
  const room = roomOf(on, limit);
  if (room <= 0) return false;
  return on.live.size === 0 || leftOver(on) === 0 || room >= limit / parts;
}
