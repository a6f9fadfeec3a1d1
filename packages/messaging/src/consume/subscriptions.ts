import { limits, storableText } from "@holdfast/contracts";
import type { Channel, ConsumeMessage } from "amqplib";
import type { Standstill } from "../broker.ts";
import { type ChannelLog, type KeptChannel, keepChannel } from "../connection/keep-channel.ts";
import { deadLetter, hasBrokenDeaths } from "./broken-deaths.ts";
import { type ConsumedQueues, consumedChannels } from "./consumed-channels.ts";
import {
  attempt,
  channelClosed,
  type InboundMessage,
  toInboundMessage,
} from "./inbound-message.ts";
import { hasUnreadableHeaders } from "./kept-properties.ts";

/** What takes the messages of one consumer. */
export interface Intake {
  /** Whose messages they are. */
  readonly queue: string;
  take(message: InboundMessage): void;
  /**
   * Drops what was not begun: the channel is closed or about to be, and the broker delivers it again.
   * Resolves when all that was begun is handled.
   */
  drain(): Promise<void>;
  /** What it fails to handle at the moment; null: nothing. */
  readonly standstill: Standstill | null;
  /** Milliseconds since the oldest message of which not all is handled was begun; 0: there is none. */
  readonly oldestMs: number;
}

interface Subscription extends ConsumedQueues {
  /** The largest message that is handed over, in bytes. */
  readonly maxBytes: number;
  readonly oversized: "reject" | "cut";
  readonly intake: Intake;
}

interface Options {
  readonly name: string;
  readonly createChannel: () => Promise<Channel>;
  readonly declare: (channel: Channel) => Promise<void>;
  /** Ends all consumers: the connection is being closed. */
  readonly signal: AbortSignal;
  readonly log: ChannelLog;
}

interface OpenSubscription extends AsyncDisposable {
  /** Consumes anew, on the same channel, what `queues` says now. What was delivered before stays to be settled. */
  refresh(): Promise<void>;
}

/** Consumers that come back with their queue, channel or connection. */
export function subscriptions({ name, createChannel, declare, signal, log }: Options) {
  const open = new Map<KeptChannel<Channel>, Intake>();

  /**
   * Checks size and headers before anything else, so that no part of the process keeps what is too large, or takes
   * a message for one that has no headers.
   */
  const takeWithin = (
    channel: Channel,
    message: ConsumeMessage,
    { name: consumer, maxBytes, oversized, intake }: Subscription,
  ): void => {
    const { content } = message;
    if (hasBrokenDeaths(message)) {
      const { messageId, userId } = message.properties;
      const from = { messageId: storableText(`${messageId}`, limits.property), userId };
      log.warn({ queue: consumer, ...from }, "x-death header malformed: not dead-lettered");
    }
    const isReadable = !hasUnreadableHeaders(message);
    if (!isReadable) log.warn({ queue: consumer }, "message headers unreadable");
    const isWithin = content.length <= maxBytes;
    if (!isWithin)
      log.warn({ queue: consumer, bytes: content.length, maxBytes }, "message too large");
    if (isWithin && (isReadable || oversized === "cut")) {
      return intake.take(toInboundMessage(channel, message));
    }
    if (oversized === "reject") return attempt(() => deadLetter(channel, message));
    // A copy: a part of the buffer would keep all of it in memory.
    const cut = { ...message, content: Buffer.from(content.subarray(0, maxBytes)) };
    intake.take(toInboundMessage(channel, cut, content.length));
  };

  const subscribe = async (subscription: Subscription): Promise<OpenSubscription> => {
    const { intake } = subscription;
    const channels = consumedChannels(subscription, (channel, message) =>
      takeWithin(channel, message, subscription),
    );
    const kept = await keepChannel({
      name: `${name} ${subscription.name}`,
      create: createChannel,
      open: async (channel) => {
        await declare(channel);
        channel.once("close", () => {
          channelClosed(channel);
          void intake.drain();
        });
        await channels.consume(channel);
      },
      closing: async (channel) => {
        await channels.cancel(channel);
        await intake.drain();
      },
      signal,
      log,
    });
    open.set(kept, intake);
    return {
      refresh: channels.refresh,
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
    areAlive: (): boolean => [...open.keys()].every(({ current }) => current !== null),
    standstills: (): readonly Standstill[] =>
      [...open.values()].flatMap(({ standstill }) => standstill ?? []),
    oldestMs(queue: string): number {
      const intakes = [...open.values()].filter((intake) => intake.queue === queue);
      return Math.max(0, ...intakes.map(({ oldestMs }) => oldestMs));
    },
  };
}
