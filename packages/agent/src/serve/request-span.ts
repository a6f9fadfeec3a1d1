import { agentQueue, type StepRequest } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import { processSpan, type Span, type SpanAttributes, type Tracing } from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";

/** A span for a request, from its delivery until its reply is sent; null: its task belongs to no trace. */
export function requestSpan(
  tracing: Tracing,
  { agent, taskId, step, attempt, operation }: StepRequest,
  delivery: Delivery,
): Span | null {
  const { trace = null } = delivery;
  if (trace === null) return null;
  const attributes = {
    "messaging.message.conversation_id": taskId,
    "holdfast.task.id": taskId,
    "holdfast.step": step,
    "holdfast.attempt": attempt,
    "holdfast.agent": agent,
    "holdfast.operation": operation,
  };
  return processSpan(tracing, { ...delivery, queue: agentQueue(agent), trace }, { attributes });
}

const faultOf = (outcome: Outcome): string | undefined =>
  outcome.kind === "failed" ? outcome.code : undefined;

/** What became of the request; null: its deadline passed first. */
export const attributesOf = (outcome: Outcome | null): SpanAttributes => ({
  "holdfast.outcome": outcome?.kind ?? "abandoned",
  "error.type": outcome === null ? "deadline" : faultOf(outcome),
});
