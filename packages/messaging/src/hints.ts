import { randomUUID } from "node:crypto";
import { cancelExchange, StepCancel, wakeExchange } from "@holdfast/contracts";
import type { Broker } from "./broker.ts";

/**
 * Tells all Agents what need not be finished, and which replies were refused. Only a hint: its loss
 * costs a line of a log.
 */
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

/** What a Scheduler is woken for: steps that it may claim, or waits that have ended. */
export type WakeReason = "steps" | "waits";

const wakeTypes: Readonly<Record<WakeReason, string>> = {
  steps: "scheduler.wake.v1",
  waits: "scheduler.wake-waits.v1",
};

/** Tells one Scheduler that something is due. Only a hint: should it be lost, they look anyway. */
export const wakeHint =
  (broker: Pick<Broker, "publish">) =>
  (due: WakeReason = "steps"): void => {
    void broker.publish({
      exchange: wakeExchange,
      routingKey: "",
      type: wakeTypes[due],
      messageId: randomUUID(),
      transient: true,
      body: Buffer.alloc(0),
    });
  };

/** Reads for what a hint wakes: for steps, unless it says otherwise. */
export const wakeReasonOf = ({ type }: { readonly type: string | undefined }): WakeReason =>
  type === wakeTypes.waits ? "waits" : "steps";
