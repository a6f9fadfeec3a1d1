import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "keepDeadLetter">;
  readonly log: Logger;
  readonly queue: string;
}

/** Keeps what nobody could read where a person can look at it: nothing is dropped silently. */
export const keepDeadLetters =
  ({ store, log, queue }: Dependencies) =>
  async (batch: readonly Delivery[]): Promise<void> => {
    for (const { messageId, type, userId, deathReason, body } of batch) {
      await store.keepDeadLetter({
        queue,
        reason: deathReason ?? "unknown",
        messageId: messageId ?? null,
        type: type ?? null,
        sender: userId ?? null,
        body,
      });
      log.error({ queue, messageId, type, reason: deathReason }, "dead letter kept");
    }
  };
