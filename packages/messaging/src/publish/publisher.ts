import { setTimeout as sleep } from "node:timers/promises";
import type { ConfirmChannel, Options } from "amqplib";
import type { OutgoingMessage, PublishResult } from "../broker.ts";
import { traceHeaders } from "./bundle-messages.ts";

/**
 * The AMQP priority of urgent messages. That of others is not set: quorum queues of RabbitMQ 4 take
 * it for 4.
 */
export const urgentPriority = 8;

/**
 * How long the broker may take to confirm before the outcome counts as unknown, in milliseconds.
 */
const confirmWithin = 3_000;

/**
 * Publishes with confirm and return. The broker acknowledges an unroutable message too, right after
 * returning it, so only both together say that a queue has it. Calls `onRefused` when the broker
 * refuses a message (nack); the channel is to be replaced then: a channel remembers where a quorum
 * queue's leader was when it first published to it, and RabbitMQ before 3.12.5 refuses each message
 * if that node was dead by then (rabbitmq-server pull request 9241).
 */
export function publisher(channelNow: () => ConfirmChannel | null, onRefused: () => void) {
  const watched = new WeakMap<ConfirmChannel, Published>();
  return {
    /** Is called for each new channel. */
    watch(channel: ConfirmChannel): void {
      const published: Published = { returned: new Set(), unconfirmed: 0, onDrained: () => {} };
      watched.set(channel, published);
      channel.on("return", ({ properties }) => {
        published.returned.add(String(properties.messageId));
      });
    },
    publish(message: OutgoingMessage): Promise<PublishResult> {
      const channel = channelNow();
      const published = channel && watched.get(channel);
      if (!channel || !published) return Promise.resolve("unknown");
      const { promise, resolve } = Promise.withResolvers<PublishResult>();
      const timer = setTimeout(() => resolve("unknown"), confirmWithin);
      const onConfirm = (error: unknown) => {
        clearTimeout(timer);
        const isReturned = published.returned.delete(message.messageId);
        published.unconfirmed -= 1;
        if (published.unconfirmed === 0) published.onDrained();
        if (error === null || error === undefined) {
          return resolve(isReturned ? "unroutable" : "stored");
        }
        if (channelNow() === channel) onRefused();
        return resolve("unknown");
      };
      published.unconfirmed += 1;
      try {
        channel.publish(
          message.exchange,
          message.routingKey,
          message.body,
          optionsOf(message),
          onConfirm,
        );
      } catch {
        // The channel closed a moment ago.
        onConfirm(true);
      }
      return promise;
    },
    /**
     * Waits for what is not confirmed yet, before the channel is closed. The client's own
     * `waitForConfirms` gives up with the first message that is refused.
     */
    async drained(channel: ConfirmChannel): Promise<void> {
      const published = watched.get(channel);
      if (!published?.unconfirmed) return;
      const drained = new Promise<void>((resolve) => {
        published.onDrained = resolve;
      });
      await Promise.race([drained, sleep(confirmWithin, undefined, { ref: false })]);
    },
  };
}

/** What went over one channel. */
interface Published {
  /** Messages that no queue took, and that are not confirmed yet. */
  readonly returned: Set<string>;
  unconfirmed: number;
  /** Called when nothing is unconfirmed any more. */
  onDrained: () => void;
}

function optionsOf(message: OutgoingMessage): Options.Publish {
  const { type, messageId, correlationId, replyTo, expirationMs, userId } = message;
  const {
    headers,
    trace = null,
    transient = false,
    isUrgent = false,
    contentType = "application/json",
  } = message;
  return {
    persistent: !transient,
    mandatory: !transient,
    contentType,
    type,
    messageId,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(isUrgent ? { priority: urgentPriority } : {}),
    ...(expirationMs === undefined ? {} : { expiration: String(Math.ceil(expirationMs)) }),
    ...(userId === undefined ? {} : { userId }),
    ...(headers === undefined && trace === null
      ? {}
      : { headers: { ...headers, ...(trace === null ? {} : traceHeaders(trace)) } }),
  };
}
