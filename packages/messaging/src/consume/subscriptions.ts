import { limits, storableText } from "@holdfast/contracts";
import type { Channel, ConfirmChannel } from "amqplib";
import type { Broker, StalledConsumer } from "../broker.ts";
import { type ChannelLog, type KeptChannel, keepChannel } from "../connection/keep-channel.ts";
import { publisher } from "../publish/publisher.ts";
import { deadLetter, hasBrokenDeaths } from "./broken-deaths.ts";
import type { Consumers, Take } from "./consumed-channels.ts";
import {
  attempt,
  channelClosed,
  type InboundMessage,
  toInboundMessage,
} from "./inbound-message.ts";
import { hasUnreadableHeaders } from "./kept-properties.ts";

/** What takes the messages of one consumer. */
export interface Intake {
  /** The queue of the messages. */
  readonly queue: string;
  take(message: InboundMessage): void;
  /**
   * Drops what was not begun: the channel is closed or about to be, and the broker delivers it again.
   * Resolves when all that was begun is handled.
   */
  drain(): Promise<void>;
  /** What it fails to handle at the moment; null: nothing. */
  readonly stalledConsumer: StalledConsumer | null;
  /** Milliseconds since the oldest message of which not all is handled was begun; 0: there is none. */
  readonly oldestMs: number;
}

interface Subscription {
  /** Shows in the logs. */
  readonly name: string;
  /** What is consumed. */
  readonly consumers: (take: Take) => Consumers;
  /** The largest message that is handed over, in bytes. */
  readonly maxBytes: number;
  readonly oversized: "reject" | "cut";
  readonly intake: Intake;
}

interface Options {
  readonly name: string;
  readonly createChannel: () => Promise<ConfirmChannel>;
  readonly declare: (channel: Channel) => Promise<void>;
  /** Whether the broker is short of memory or disk: what is published would keep it from reading acknowledgements. */
  readonly isBlocked: () => boolean;
  /** Wraps the publishing of each answer. */
  readonly measure: (publish: Broker["publish"]) => Broker["publish"];
  /** Ends all consumers: the connection is being closed. */
  readonly signal: AbortSignal;
  readonly log: ChannelLog;
}

interface OpenSubscription extends AsyncDisposable, Pick<Consumers, "refresh"> {}

const unanswered: Broker["publish"] = () => Promise.resolve("unknown");

/** Consumers that come back with their queue, channel or connection. */
export function subscriptions(options: Options) {
  const { name, createChannel, isBlocked, measure, declare, signal, log } = options;
  const open = new Map<KeptChannel<Channel>, Intake>();
  const answering = new WeakMap<Channel, Broker["publish"]>();
  const answerOn = (channel: ConfirmChannel): void => {
    const answers = publisher(
      () => (isBlocked() ? null : channel),
      () => {},
    );
    answers.watch(channel);
    answering.set(
      channel,
      measure((message) => answers.publish(message)),
    );
  };

  /**
   * Checks size and headers before anything else, so that no part of the process keeps what is too large, or takes
   * a message for one that has no headers.
   */
  const takeWithin = (
    { name: consumer, maxBytes, oversized, intake }: Subscription,
    ...[channel, message, onAcknowledged]: Parameters<Take>
  ): void => {
    const { content } = message;
    const around = { answer: answering.get(channel) ?? unanswered, onAcknowledged };
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
      return intake.take(toInboundMessage(channel, message, around));
    }
    if (oversized === "reject") {
      attempt(() => deadLetter(channel, message));
      return onAcknowledged();
    }
    // A copy: a part of the buffer would keep all of it in memory.
    const cut = { ...message, content: Buffer.from(content.subarray(0, maxBytes)) };
    intake.take(toInboundMessage(channel, cut, { ...around, size: content.length }));
  };

  const subscribe = async (subscription: Subscription): Promise<OpenSubscription> => {
    const { intake } = subscription;
    const channels = subscription.consumers((...taken) => takeWithin(subscription, ...taken));
    const kept = await keepChannel({
      name: `${name} ${subscription.name}`,
      create: createChannel,
      open: async (channel) => {
        answerOn(channel);
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
    stalledConsumers: (): readonly StalledConsumer[] =>
      [...open.values()].flatMap(({ stalledConsumer }) => stalledConsumer ?? []),
    oldestMs(queue: string): number {
      const intakes = [...open.values()].filter((intake) => intake.queue === queue);
      return Math.max(0, ...intakes.map(({ oldestMs }) => oldestMs));
    },
  };
}
