import { spanIdOf, type TraceContext, traceIdOf } from "@holdfast/domain";

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Names and values as OpenTelemetry's conventions have them. What is undefined is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** `internal` unless said otherwise. */
  readonly kind?: SpanKind;
  /** The context above it; null: the span begins a trace. */
  readonly parent: TraceContext | null;
  /** Other spans that led to this one, such as the attempt before. */
  readonly links?: readonly TraceContext[];
  readonly attributes?: SpanAttributes;
  /** How long ago it began, in milliseconds; now unless said otherwise. */
  readonly age?: number;
  /** A span id in place of a random one, so that other processes know it: see `attemptSpan`. */
  readonly spanId?: string;
}

export interface Span {
  /** What goes into headers. Null: there is no trace. */
  readonly context: TraceContext | null;
  /** Runs `work` within the span: instrumentations find it, and so do log lines. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** Ends it. It has failed if there is an `error.type`. */
  end(attributes?: SpanAttributes): void;
}

/** The one seam between Holdfast and OpenTelemetry. Nothing else knows the library. */
export interface Tracing {
  /** Whether new traces begin here. A trace that came along is carried on anyway. */
  readonly isOn: boolean;
  /**
   * Begins a span. Below a context that is not recorded it costs nothing, and only carries the
   * context on.
   */
  span(name: string, options: SpanOptions): Span;
  /**
   * Whether spans below this context may be recorded. If not, what they would say need not be found
   * out.
   */
  records(context: TraceContext): boolean;
  /** The span that the caller runs in; null: none. */
  current(): TraceContext | null;
}

const ignore = (): void => {};

/**
 * A span that is not recorded: it carries on what came along, so that the trace of others is not
 * cut.
 */
export const carriedOn = (context: TraceContext | null): Span => ({
  context,
  run: (work) => work(),
  set: ignore,
  end: ignore,
});

/** Records nothing. */
export const noTracing: Tracing = {
  isOn: false,
  span: (_, { parent }) => carriedOn(parent),
  records: () => false,
  current: () => null,
};

/**
 * What a log line says of a trace, under the names by which OpenTelemetry finds it. Nothing without
 * a trace.
 */
export const traceFields = (
  context: TraceContext | null | undefined,
): { readonly trace_id?: string; readonly span_id?: string } =>
  context == null ? {} : { trace_id: traceIdOf(context), span_id: spanIdOf(context) };
