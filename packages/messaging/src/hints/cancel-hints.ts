import { cancelExchange, StepCancel } from "@holdfast/contracts";
import type { Broker } from "../broker.ts";

/** Tells all Agents what need not be finished, and which replies were refused. Only a hint: its loss costs a line of a log. */
export const cancelHints =
  (broker: Pick<Broker, "publish">) =>
  (obsoleteAttempts: readonly StepCancel[]): void => {
    for (const attempt of obsoleteAttempts) {
      void broker.publish({
        exchange: cancelExchange,
        routingKey: "",
        type: StepCancel.type,
        messageId: `${attempt.taskId}:${attempt.step}:${attempt.attempt}:cancel`,
        correlationId: attempt.taskId,
        transient: true,
        body: StepCancel.encode(attempt),
      });
    }
  };
