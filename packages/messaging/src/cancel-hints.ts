import { cancelExchange, StepCancel } from "@holdfast/contracts";
import type { Broker } from "./broker.ts";

/** Tells all Agents what need not be finished. Only a hint: should it be lost, it ends by itself. */
export const cancelHints =
  (broker: Pick<Broker, "publish">) =>
  (needless: readonly StepCancel[]): void => {
    for (const attempt of needless) {
      void broker.publish({
        exchange: cancelExchange,
        routingKey: "",
        type: StepCancel.type,
        messageId: `${attempt.taskId}:${attempt.step}:${attempt.attempt}:cancel`,
        correlationId: attempt.taskId,
        fleeting: true,
        body: StepCancel.encode(attempt),
      });
    }
  };
