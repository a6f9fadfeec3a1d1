import { limits, storableText } from "@holdfast/contracts";
import type { Channel, ConsumeMessage } from "amqplib";
import { deadLetter, hasBrokenDeaths } from "./broken-deaths.ts";
import type { Delivery } from "./broker.ts";
import { bodiesOf } from "./bundle-messages.ts";

export interface OpenDelivery extends Delivery {
  /** Its handler has said what is to become of it. */
  readonly isSettled: boolean;
  /** Back to the queue, and it counts: at the delivery limit it becomes a dead letter. */
  tryAgain(): void;
}

/** A message of the broker, with the one delivery in it, or all those that came together. */
export interface Arrival {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  readonly deliveries: readonly OpenDelivery[];
  /** Of its content. */
  readonly bytes: number;
  /** Nothing is left to be said of it, or all that is left is to acknowledge it. */
  readonly isSettled: boolean;
  readonly isGood: boolean;
  /** Acknowledges what is left of it. */
  settle(): void;
  /** Says that it was acknowledged together with others. */
  settled(): void;
}

/** What is to become of a message, from the best to the worst of what was said of its deliveries. */
const verdicts = ["ack", "reject", "giveBack", "tryAgain"] as const;
type Verdict = (typeof verdicts)[number];

/**
 * A message is settled when all in it is: what the broker hears is the worst of it, since neither a
 * dead letter nor a redelivery can be a part of one. A second settle would close the channel for all
 * the others, so it is not sent. `size`: of the message as it came, should it have been cut.
 */
export function toArrival(
  channel: Channel,
  message: ConsumeMessage,
  size = message.content.length,
): Arrival {
  const send: Readonly<Record<Verdict, () => void>> = {
    ack: () => channel.ack(message),
    reject: () => deadLetter(channel, message),
    giveBack: () => channel.nack(message, false, true),
    // At the delivery limit it would be dead-lettered.
    tryAgain: () =>
      hasBrokenDeaths(message) ? channel.ack(message) : channel.reject(message, true),
  };
  const bodies = bodiesOf(message.content, message.properties.contentType);
  let left = bodies.length;
  let worst = 0;
  const whole = bodies.length > 1 ? Promise.withResolvers<void>() : null;
  const whenSettled = () => whole?.promise ?? Promise.resolve();
  const settle = (verdict: Verdict): void => {
    worst = Math.max(worst, verdicts.indexOf(verdict));
    left -= 1;
    if (left > 0) return;
    attempt(send[verdicts[worst] ?? "ack"]);
    whole?.resolve();
  };

  const toDelivery = openDeliveries(channel, message, {
    size,
    isBundled: bodies.length > 1,
    settle,
    whenSettled,
  });
  const deliveries = bodies.map(toDelivery);
  return {
    message,
    channel,
    deliveries,
    bytes: message.content.length,
    get isSettled() {
      return left <= 0;
    },
    get isGood() {
      return worst === 0;
    },
    settle() {
      for (const delivery of deliveries) delivery.ack();
    },
    settled() {
      left = 0;
      whole?.resolve();
    },
  };
}

interface Shared {
  readonly size: number;
  readonly isBundled: boolean;
  readonly settle: (verdict: Verdict) => void;
  readonly whenSettled: () => Promise<void>;
}

const closedChannels = new WeakSet<Channel>();

/** To be called when a channel has closed: what was not settled on it is delivered again. */
export const channelClosed = (channel: Channel): void => void closedChannels.add(channel);

const openDeliveries = (
  channel: Channel,
  message: ConsumeMessage,
  { size, isBundled, settle, whenSettled }: Shared,
) => {
  const { type, messageId, correlationId, userId, replyTo } = message.properties;
  const common = {
    type: text(type),
    correlationId: text(correlationId),
    userId: text(userId),
    replyTo: text(replyTo),
    routingKey: message.fields.routingKey,
    deathReason: deathReasons.find((reason) => reason === header(message, "x-first-death-reason")),
    redelivered: message.fields.redelivered,
    isCurrent: () => !closedChannels.has(channel),
    isBundled,
    whenSettled,
  };
  return (body: Buffer, index: number): OpenDelivery => {
    let isSettled = false;
    const once = (verdict: Verdict) => (): void => {
      if (isSettled) return;
      isSettled = true;
      settle(verdict);
    };
    return {
      ...common,
      body,
      size: isBundled ? body.length : size,
      messageId: index === 0 ? text(messageId) : `${text(messageId)} ${index + 1}`,
      get isSettled() {
        return isSettled;
      },
      ack: once("ack"),
      reject: once("reject"),
      giveBack: once("giveBack"),
      tryAgain: once("tryAgain"),
    };
  };
};

/** On a dead channel nothing can be settled, and nothing need be: the broker delivers again. */
export function attempt(send: () => void): void {
  try {
    send();
  } catch {
    // See above.
  }
}

/** Whoever publishes may write anything into a property: it must not be more than can be stored. */
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? storableText(value, limits.property) : undefined;

/** What the broker says; whoever publishes may write any other header of that name. */
const deathReasons = ["expired", "rejected", "delivery_limit", "maxlen"] as const;

/** Headers are a stranger's: only own keys count. */
function header({ properties }: ConsumeMessage, name: string): unknown {
  const headers: object = properties.headers ?? {};
  return Object.hasOwn(headers, name) ? Reflect.get(headers, name) : undefined;
}
