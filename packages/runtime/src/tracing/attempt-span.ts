import { createHash } from "node:crypto";
import { atSpan, type TraceContext, traceIdOf } from "@holdfast/domain";

interface Attempt {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
}

/**
 * The span of an attempt. Its id follows from the attempt, so each process that knows the trace can refer to it: the
 * Scheduler that retries hours later, the Supervisor, the Scheduler that dispatches the undo. Nothing has to be stored for it.
 */
export function attemptSpan(
  trace: TraceContext,
  { taskId, step, attempt }: Attempt,
): { readonly spanId: string; readonly context: TraceContext } {
  const digest = createHash("sha256").update(`${traceIdOf(trace)} ${taskId} ${step} ${attempt}`);
  const spanId = digest.digest("hex").slice(0, 16);
  return { spanId, context: atSpan(trace, spanId) };
}
