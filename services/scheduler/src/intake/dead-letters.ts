import { limits, readableText } from "@holdfast/contracts";
import { errorText, Fault } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import type { DeadLetter, SchedulerStore } from "@holdfast/state-store";

type Cause = Pick<DeadLetter, "queue" | "reason" | "detail">;

/** A delivery as it is kept for an operator to look at. */
export const toDeadLetter = (delivery: Delivery, cause: Cause): DeadLetter => ({
  ...cause,
  messageId: delivery.messageId ?? null,
  type: delivery.type ?? null,
  sender: delivery.userId ?? null,
  body: delivery.body,
  size: delivery.size,
  ...(delivery.keep === undefined ? {} : { properties: delivery.keep() }),
});

/** Stores a delivery of `queue` that its consumer could not handle, with the reason. */
export const deadLetterTo =
  (store: Pick<SchedulerStore, "recordDeadLetters">, queue: string) =>
  async (delivery: Delivery, error: unknown): Promise<void> => {
    const reason = error instanceof Fault ? error.code : "message.unhandled";
    const detail = readableText(errorText(error), limits.words);
    await store.recordDeadLetters([toDeadLetter(delivery, { queue, reason, detail })]);
  };

interface DeadLetterDependencies {
  readonly store: Pick<SchedulerStore, "recordDeadLetters">;
  readonly log: Logger;
  readonly queue: string;
}

/** Stores dead letters where an operator can look at them: none is dropped silently. */
export const recordDeadLetters =
  ({ store, log, queue }: DeadLetterDependencies) =>
  async (batch: readonly Delivery[]): Promise<void> => {
    const deadLetters = batch.map((delivery) =>
      toDeadLetter(delivery, { queue, reason: delivery.deathReason ?? "unknown" }),
    );
    await store.recordDeadLetters(deadLetters);
    const reasons = [...new Set(deadLetters.map(({ reason }) => reason))];
    const [first] = deadLetters;
    log.error(
      {
        queue,
        deadLetters: deadLetters.length,
        reasons,
        messageId: first?.messageId,
        type: first?.type,
      },
      "dead letters stored",
    );
  };
