import { setTimeout as sleep } from "node:timers/promises";
import type { ConfirmChannel, Options } from "amqplib";
import type { OutgoingMessage, PublishResult } from "./broker.ts";

/** How long the broker may take to confirm before the outcome counts as unknown, in milliseconds. */
const confirmWithin = 3_000;

/**
 * Publishes with confirm and return. The broker acknowledges an unroutable message too, right after
 * returning it, so only both together say that a queue has it.
 */
export function publisher(channelNow: () => ConfirmChannel | null) {
  const returned = new Set<string>();
  return {
    /** To be called for each new channel. */
    watch(channel: ConfirmChannel): void {
      returned.clear();
      channel.on("return", ({ properties }) => returned.add(String(properties.messageId)));
    },
    publish(message: OutgoingMessage): Promise<PublishResult> {
      const channel = channelNow();
      if (channel === null) return Promise.resolve("unknown");
      const { promise, resolve } = Promise.withResolvers<PublishResult>();
      const timer = setTimeout(() => resolve("unknown"), confirmWithin);
      const onConfirm = (error: unknown) => {
        clearTimeout(timer);
        const isReturned = returned.delete(message.messageId);
        if (error !== null && error !== undefined) resolve("unknown");
        else resolve(isReturned ? "unroutable" : "stored");
      };
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
    /** Waits for what is not confirmed yet, before the channel is closed. */
    async drained(channel: ConfirmChannel): Promise<void> {
      const confirmed = channel.waitForConfirms().catch(() => {});
      await Promise.race([confirmed, sleep(confirmWithin, undefined, { ref: false })]);
    },
  };
}

function optionsOf(message: OutgoingMessage): Options.Publish {
  const { type, messageId, correlationId, replyTo, expirationMs, userId } = message;
  const { fleeting = false, contentType = "application/json" } = message;
  return {
    persistent: !fleeting,
    mandatory: !fleeting,
    contentType,
    type,
    messageId,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(expirationMs === undefined ? {} : { expiration: String(Math.ceil(expirationMs)) }),
    ...(userId === undefined ? {} : { userId }),
  };
}
