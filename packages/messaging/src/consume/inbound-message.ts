import { limits, storableText } from "@holdfast/contracts";
import type { Channel, ConsumeMessage } from "amqplib";
import type { Broker, Delivery } from "../broker.ts";
import { bodiesOf, tracesIn } from "../publish/bundle-messages.ts";
import { urgentPriority } from "../publish/publisher.ts";
import { keptProperties } from "./kept-properties.ts";

export interface OpenDelivery extends Delivery {
  /** Its handler has said what is to become of it. */
  readonly isAcknowledged: boolean;
  /** Back to the queue, and it counts: at the delivery limit it becomes a dead letter. */
  retry(): void;
}

/** A message of the broker, with the one delivery in it, or all those that came together. */
export interface InboundMessage {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  readonly deliveries: readonly OpenDelivery[];
  /** The size of its content. */
  readonly bytes: number;
  readonly isUrgent: boolean;
  /** Nothing is left to be said of it, or all that is left is to acknowledge it. */
  readonly isAcknowledged: boolean;
  readonly isGood: boolean;
  /** Acknowledges what is left of it. */
  acknowledge(): void;
  /** Says that it was acknowledged together with others. */
  acknowledged(): void;
}

/**
 * What is to become of a message, from the best to the worst of what was said of its deliveries.
 */
const verdicts = ["ack", "reject", "requeue", "retry"] as const;
type Disposition = (typeof verdicts)[number];

/**
 * A message is acknowledged when all in it is: what the broker hears is the worst of it, since
 * neither a dead letter nor a redelivery can be a part of one. A second acknowledge would close the
 * channel for all the others, so it is not sent.
 */
export function toInboundMessage(
  channel: Channel,
  message: ConsumeMessage,
  { size = message.content.length, answer, onAcknowledged }: Surroundings,
): InboundMessage {
  const send: Readonly<Record<Disposition, () => void>> = {
    ack: () => channel.ack(message),
    reject: () => deadLetter(channel, message),
    requeue: () => channel.nack(message, false, true),
    // At the delivery limit it would be dead-lettered.
    retry: () => (hasBrokenDeaths(message) ? channel.ack(message) : channel.reject(message, true)),
  };
  const bodies = bodiesOf(message.content, message.properties.contentType);
  let left = bodies.length;
  let worst = 0;
  const whole = bodies.length > 1 ? Promise.withResolvers<void>() : null;
  const acknowledge = (disposition: Disposition): void => {
    worst = Math.max(worst, verdicts.indexOf(disposition));
    left -= 1;
    inbound.isGood = worst === 0;
    inbound.isAcknowledged = left <= 0;
    if (left > 0) return;
    attempt(send[verdicts[worst] ?? "ack"]);
    onAcknowledged();
    whole?.resolve();
  };

  const toDelivery = openDeliveries(channel, message, {
    size,
    parts: bodies.length,
    answer,
    acknowledge,
    whenAcknowledged: () => whole?.promise ?? Promise.resolve(),
  });
  const deliveries = bodies.map(toDelivery);
  const inbound = {
    message,
    channel,
    deliveries,
    bytes: message.content.length,
    isUrgent: isUrgent(message),
    isAcknowledged: left <= 0,
    isGood: true,
    acknowledge() {
      for (const delivery of deliveries) delivery.ack();
    },
    acknowledged() {
      left = 0;
      inbound.isAcknowledged = true;
      onAcknowledged();
      whole?.resolve();
    },
  };
  return inbound;
}

/** What a message does not say of itself. */
interface Surroundings {
  /** The bytes of the message as it came, should it have been cut. */
  readonly size?: number;
  /** Publishes on its channel. */
  readonly answer: Broker["publish"];
  /** Is called once the broker has been sent the end of it. */
  readonly onAcknowledged: () => void;
}

interface Shared extends Pick<Surroundings, "answer"> {
  readonly size: number;
  readonly parts: number;
  readonly acknowledge: (disposition: Disposition) => void;
  readonly whenAcknowledged: () => Promise<void>;
}

const closedChannels = new WeakSet<Channel>();

/** Is called when a channel has closed: what was not acknowledged on it is delivered again. */
export const channelClosed = (channel: Channel): void => void closedChannels.add(channel);

const openDeliveries = (
  channel: Channel,
  message: ConsumeMessage,
  { size, parts, answer, acknowledge, whenAcknowledged }: Shared,
) => {
  const isBundled = parts > 1;
  const { type, correlationId, userId, replyTo } = message.properties;
  const messageId = text(message.properties.messageId);
  const ownHeader = (name: string) => header(message, name);
  const traces = tracesIn(ownHeader, { parts, isBundle: isBundled });
  const common = {
    type: text(type),
    correlationId: text(correlationId),
    userId: text(userId),
    replyTo: text(replyTo),
    routingKey: message.fields.routingKey,
    isUrgent: isUrgent(message),
    header: ownHeader,
    deathReason: deathReasons.find((reason) => reason === header(message, "x-first-death-reason")),
    keep: () => keptProperties(message),
    redelivered: message.fields.redelivered,
    isCurrent: () => !closedChannels.has(channel),
    isBundled,
    whenAcknowledged,
    answer,
  };
  return (body: Buffer, index: number): OpenDelivery => {
    const once = (disposition: Disposition) => (): void => {
      if (delivery.isAcknowledged) return;
      delivery.isAcknowledged = true;
      acknowledge(disposition);
    };
    const delivery = {
      ...common,
      body,
      trace: traces[index] ?? null,
      size: isBundled ? body.length : size,
      messageId: index === 0 ? messageId : `${messageId} ${index + 1}`,
      isAcknowledged: false,
      ack: once("ack"),
      reject: once("reject"),
      requeue: once("requeue"),
      retry: once("retry"),
    };
    return delivery;
  };
};

/**
 * Sends unless the channel is dead: there nothing can be acknowledged, and nothing need be, as the
 * broker delivers again.
 */
export function attempt(send: () => void): void {
  try {
    send();
  } catch {
    // See above.
  }
}

/** A publisher may write anything into a property: it is cut to what the store can hold. */
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? storableText(value, limits.property) : undefined;

const isUrgent = ({ properties: { priority } }: ConsumeMessage): boolean =>
  typeof priority === "number" && priority >= urgentPriority;

/**
 * The reasons that the broker writes; a publisher may write a header of that name with any other.
 */
const deathReasons = ["expired", "rejected", "delivery_limit", "maxlen"] as const;

/** Headers are a stranger's: only own keys count. */
function header({ properties }: ConsumeMessage, name: string): unknown {
  const headers: object = properties.headers ?? {};
  return Object.hasOwn(headers, name) ? Reflect.get(headers, name) : undefined;
}

/**
 * Whether the header `x-death` is neither a list of tables nor a text. RabbitMQ writes it, and any
 * client may. A quorum queue of RabbitMQ before 4.0 ends when it is to dead-letter a message with a
 * list of anything else: the message is lost, consumers lose their connections (541
 * INTERNAL_ERROR), and after a few of them the queue stays down. What is no list it writes into its
 * log: that of nested tables takes minutes and gigabytes.
 */
export function hasBrokenDeaths({ properties }: ConsumeMessage): boolean {
  const headers: object | undefined = properties.headers;
  if (headers === undefined || !Object.hasOwn(headers, "x-death")) return false;
  const deaths: unknown = Reflect.get(headers, "x-death");
  if (typeof deaths === "string") return false;
  return !Array.isArray(deaths) || !deaths.every(isTable);
}

/** The client reads a table as a plain object; what has a `!` is a timestamp or a decimal. */
const isTable = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !Buffer.isBuffer(value) &&
  !Object.hasOwn(value, "!");

/**
 * Sends a message to the dead letters; one that would end its queue on the way there is dropped.
 */
export function deadLetter(channel: Channel, message: ConsumeMessage): void {
  if (hasBrokenDeaths(message)) channel.ack(message);
  else channel.reject(message, false);
}
