import { fromTraceText } from "@holdfast/domain";
import {
  attemptSpan,
  carriedOn,
  type Span,
  type SpanAttributes,
  sendSpan,
  type Tracing,
} from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";

interface AttemptTraceOptions {
  readonly claim: ClaimedStep;
  /** The last attempt at what is undone, if the step is an undo. */
  readonly undoes?: { readonly step: string; readonly attempt: number } | undefined;
  /**
   * The request is published again: its claim has a span already, by the Scheduler that made it.
   */
  readonly isResend: boolean;
  /** Milliseconds since the claim began. */
  readonly age: number;
}

export interface AttemptTrace {
  /** A span for publishing the request. */
  send(message: Parameters<typeof sendSpan>[1]): Span;
  end(attributes?: SpanAttributes): void;
}

/**
 * The spans of one claimed step; null: its task belongs to no trace. All attempts are in the trace
 * of the task, however late: a retry links to the attempt before, an undo to the last attempt at
 * what it undoes.
 */
export function traceAttempt(
  tracing: Tracing,
  { claim, undoes, isResend, age }: AttemptTraceOptions,
): AttemptTrace | null {
  const { taskId, name: step, attempt } = claim;
  const task = fromTraceText(claim.traceContext ?? null);
  if (task === null) return null;
  if (!tracing.records(task)) return { send: () => carriedOn(task), end: () => {} };
  const of = (other: { readonly step: string; readonly attempt: number }) =>
    attemptSpan(task, { taskId, ...other });
  const { spanId, context } = of({ step, attempt });
  const attributes = attributesOf(claim, undoes?.step);
  const before = [
    ...(attempt > 1 ? [{ step, attempt: attempt - 1 }] : []),
    ...(undoes !== undefined && undoes.attempt > 0 ? [undoes] : []),
  ];
  const links = before.map((one) => of(one).context);
  const span = isResend
    ? null
    : tracing.span(`claim ${step}`, { parent: task, spanId, links, age, attributes });
  const parent = span?.context ?? context;
  return {
    send: (message) => {
      const more = { ...attributes, "holdfast.resent": isResend || undefined };
      return sendSpan(tracing, message, { parent, attributes: more });
    },
    end: (ended) => span?.end(ended),
  };
}

const attributesOf = (
  { taskId, workflow, name, attempt, agent }: ClaimedStep,
  undoes: string | undefined,
): SpanAttributes => ({
  "holdfast.task.id": taskId,
  "holdfast.workflow": workflow,
  "holdfast.step": name,
  "holdfast.attempt": attempt,
  "holdfast.agent": agent,
  "holdfast.undoes": undoes,
  "messaging.message.conversation_id": taskId,
});
