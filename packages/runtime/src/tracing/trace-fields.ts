import { spanIdOf, type TraceContext, traceIdOf } from "@holdfast/domain";

/** What a log line says of a trace, under the names by which OpenTelemetry finds it. Nothing without a trace. */
export const traceFields = (
  context: TraceContext | null | undefined,
): { readonly trace_id?: string; readonly span_id?: string } =>
  context == null ? {} : { trace_id: traceIdOf(context), span_id: spanIdOf(context) };
