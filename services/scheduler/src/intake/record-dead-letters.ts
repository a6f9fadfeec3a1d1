import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import { toDeadLetter } from "./dead-letter.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "recordDeadLetters">;
  readonly log: Logger;
  readonly queue: string;
}

/** Stores dead letters where an operator can look at them: none is dropped silently. */
export const recordDeadLetters =
  ({ store, log, queue }: Dependencies) =>
  async (batch: readonly Delivery[]): Promise<void> => {
    const letters = batch.map((delivery) =>
      toDeadLetter(delivery, { queue, reason: delivery.deathReason ?? "unknown" }),
    );
    await store.recordDeadLetters(letters);
    const reasons = [...new Set(letters.map(({ reason }) => reason))];
    const [first] = letters;
    log.error(
      { queue, letters: letters.length, reasons, messageId: first?.messageId, type: first?.type },
      "dead letters stored",
    );
  };
