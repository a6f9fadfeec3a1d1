import { limits, storableText } from "@holdfast/contracts";
import type { Channel, ConfirmChannel, ConsumeMessage } from "amqplib";
import type { Broker, StalledConsumer } from "../broker.ts";
import { hasUnreadableHeaders } from "../connection/bound-headers.ts";
import { ofQueue } from "../connection/in-time.ts";
import { type ChannelLog, type KeptChannel, keepChannel } from "../connection/keep-channel.ts";
import { publisher } from "../publish/publisher.ts";
import {
  attempt,
  channelClosed,
  deadLetter,
  hasBrokenDeaths,
  type InboundMessage,
  toInboundMessage,
} from "./inbound-message.ts";

/** What takes the messages of one consumer. */
export interface Intake {
  /** The queue of the messages. */
  readonly queue: string;
  take(message: InboundMessage): void;
  /**
   * Drops what was not begun: the channel is closed or about to be, and the broker delivers it
   * again. Resolves when all that was begun is handled.
   */
  drain(): Promise<void>;
  /** What it fails to handle at the moment; null: nothing. */
  readonly stalledConsumer: StalledConsumer | null;
  /**
   * Milliseconds since the oldest message of which not all is handled was begun; 0: there is none.
   */
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

interface SubscriptionsOptions {
  readonly name: string;
  readonly createChannel: () => Promise<ConfirmChannel>;
  readonly declare: (channel: Channel) => Promise<void>;
  /**
   * Whether the broker is short of memory or disk: what is published would keep it from reading
   * acknowledgements.
   */
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
export function subscriptions(options: SubscriptionsOptions) {
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
   * Checks size and headers before anything else, so that no part of the process keeps what is too
   * large, or takes a message for one that has no headers.
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

/** A queue, and how far we come before others who consume it: the highest gets what it can take. */
interface ConsumedQueue {
  readonly queue: string;
  readonly priority?: number;
  /** How many of its messages may be unacknowledged at a time. */
  readonly prefetch: number;
}

/** What is consumed on a channel, as if it were one queue. */
export type ConsumedQueues = (channel: Channel) => Promise<readonly ConsumedQueue[]>;

/**
 * Takes a message; `onAcknowledged` is to be called once the broker has been sent the end of it.
 */
export type Take = (channel: Channel, message: ConsumeMessage, onAcknowledged: () => void) => void;

/** The consumers of one subscription on its channel, which is a new one after each that died. */
export interface Consumers {
  readonly consume: (channel: Channel) => Promise<void>;
  readonly cancel: (channel: Channel) => Promise<void>;
  /**
   * Consumes what is wanted now. Does nothing without a channel: the next one begins with what is
   * wanted then. What was delivered before stays to be acknowledged.
   */
  readonly refresh: () => Promise<void>;
}

const nothing = (): void => {};

/**
 * Consumes several queues as if they were one. A refresh begins anew: what was delivered before
 * counts in no prefetch.
 */
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

/**
 * What a consumer is called with. Null: the broker cancelled it, such as when the queue was
 * deleted. Begin anew.
 */
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
