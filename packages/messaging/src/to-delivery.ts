import type { Channel, ConsumeMessage } from "amqplib";
import type { Delivery } from "./broker.ts";

export interface OpenDelivery extends Delivery {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  readonly isSettled: boolean;
  /** Says that it was settled together with others. */
  settled(): void;
  /** Back to the queue, and it counts: at the delivery limit it becomes a dead letter. */
  tryAgain(): void;
}

/** A second settle would close the channel for all the others, so it is not sent. */
export function toDelivery(channel: Channel, message: ConsumeMessage): OpenDelivery {
  let isSettled = false;
  const settle = (send: () => void): void => {
    if (isSettled) return;
    isSettled = true;
    attempt(send);
  };
  const { type, messageId, correlationId, userId, replyTo } = message.properties;
  return {
    message,
    channel,
    body: message.content,
    type: text(type),
    messageId: text(messageId),
    correlationId: text(correlationId),
    userId: text(userId),
    replyTo: text(replyTo),
    routingKey: message.fields.routingKey,
    deathReason: text(header(message, "x-first-death-reason")),
    redelivered: message.fields.redelivered,
    get isSettled() {
      return isSettled;
    },
    settled: () => settle(() => {}),
    ack: () => settle(() => channel.ack(message)),
    reject: () => settle(() => channel.reject(message, false)),
    tryAgain: () => settle(() => channel.reject(message, true)),
    giveBack: () => settle(() => channel.nack(message, false, true)),
  };
}

/** On a dead channel nothing can be settled, and nothing need be: the broker delivers again. */
export function attempt(send: () => void): void {
  try {
    send();
  } catch {
    // See above.
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Headers are a stranger's: only own keys count. */
function header({ properties }: ConsumeMessage, name: string): unknown {
  const headers: object = properties.headers ?? {};
  return Object.hasOwn(headers, name) ? Reflect.get(headers, name) : undefined;
}
