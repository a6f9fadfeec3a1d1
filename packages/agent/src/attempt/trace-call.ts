import { type Json, PermanentFault, type TraceContext, TransientFault } from "@holdfast/domain";
import type { Tracing } from "@holdfast/runtime";
import type { StepContext } from "../contract/handlers.ts";
import type { PreparedCall } from "../contract/operations.ts";

/** The place of the calls of an attempt in a trace. */
export interface CallTrace {
  readonly tracing: Tracing;
  readonly parent: TraceContext | null;
  readonly operation: string;
}

/**
 * Makes one call of a handler within a span, so that what it fetches is below it. Without a trace it makes the call, and
 * nothing else.
 */
export async function traceCall(
  call: PreparedCall,
  step: StepContext,
  { tracing, parent, operation }: CallTrace,
): Promise<Json> {
  if (parent === null) return call(step);
  const span = tracing.span(operation, {
    parent,
    attributes: { "holdfast.step": step.step, "holdfast.idempotency_key": step.idempotencyKey },
  });
  const traceparent = span.context?.traceparent;
  const traced = traceparent === undefined ? step : { ...step, traceparent };
  try {
    const output = await span.run(() => call(traced));
    span.end();
    return output;
  } catch (error) {
    span.end({ "error.type": typeOf(error) });
    throw error;
  }
}

/** A code of few kinds, and never a message: it may hold what is no business of a collector. */
const typeOf = (error: unknown): string => {
  if (error instanceof PermanentFault || error instanceof TransientFault) return error.code;
  return error instanceof Error ? error.name : "unknown";
};
