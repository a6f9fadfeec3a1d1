import { fromTraceText, readTraceContext, type TraceContext, traceText } from "@holdfast/domain";

/** The header of a message of several: what each of them would have as `traceparent` and `tracestate`, one a line. */
const several = "traceparents";
const newline = "\n";

type Header = (name: string) => unknown;

/** The headers of a message by itself. */
export const traceHeaders = ({ traceparent, tracestate }: TraceContext) => ({
  traceparent,
  ...(tracestate === null ? {} : { tracestate }),
});

/** The header of a message of several; none if none of them has a trace. */
export const bundledTraces = (traces: readonly (TraceContext | null)[]) =>
  traces.every((trace) => trace === null)
    ? null
    : { [several]: traces.map((trace) => (trace === null ? "" : traceText(trace))).join(newline) };

/** How much a message adds to `bundledTraces`, in bytes. */
export const traceBytes = (trace: TraceContext | null): number =>
  trace === null ? 0 : traceText(trace).length + newline.length;

/** Reads what each part of a message has. Headers may be anything: what cannot be read is no trace. */
export function tracesIn(
  header: Header,
  { parts, isBundle }: { readonly parts: number; readonly isBundle: boolean },
): readonly (TraceContext | null)[] {
  if (!isBundle) {
    const traceparent = header("traceparent");
    return traceparent === undefined ? [] : [readTraceContext(traceparent, header("tracestate"))];
  }
  const text = header(several);
  const lines = typeof text === "string" ? text.split(newline, parts + 1) : [];
  return lines.length === parts ? lines.map(fromTraceText) : [];
}
