import {
  isSampled,
  readTraceContext,
  spanIdOf,
  type TraceContext,
  traceIdOf,
} from "@holdfast/domain";
import {
  type Attributes,
  context,
  createTraceState,
  INVALID_TRACEID,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { holdfastVersion } from "../service/version.ts";
import { carriedOn, type Span, type SpanAttributes, type Tracing } from "./tracing.ts";

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

interface OtelTracingOptions {
  /** Has the next span get this id. */
  readonly useId?: (spanId: string | null) => void;
  /**
   * Whether the sampler always does as the parent did. Unknown of a program around us: it is asked
   * about each span.
   */
  readonly followsParent?: boolean;
}

/**
 * Spans by the OpenTelemetry of this process, whether Holdfast or the program around it started
 * that.
 */
export function otelTracing({
  useId = () => {},
  followsParent = false,
}: OtelTracingOptions = {}): Tracing {
  const schemaUrl = "https://opentelemetry.io/schemas/1.45.0";
  const tracer = trace.getTracerProvider().getTracer("holdfast", holdfastVersion(), { schemaUrl });
  const records = (at: TraceContext): boolean => !followsParent || isSampled(at);
  return {
    isOn: true,
    records,
    span(name, { kind = "internal", parent, links = [], attributes = {}, age, spanId = null }) {
      if (parent !== null && !records(parent)) return notRecorded(parent);
      const within =
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toOtel(parent));
      useId(spanId);
      const started = tracer.startSpan(
        name,
        {
          kind: kinds[kind],
          attributes: toAttributes(attributes),
          links: links.map((link): Link => ({ context: toOtel(link) })),
          ...(age === undefined ? {} : { startTime: Date.now() - age }),
        },
        within,
      );
      useId(null);
      return toSpan(started);
    },
    current() {
      const active = trace.getSpanContext(context.active());
      return active === undefined ? null : fromOtel(active);
    },
  };
}

/** Instrumentations find it too, and begin no trace of their own. */
const notRecorded = (parent: TraceContext): Span => ({
  ...carriedOn(parent),
  run: (work) => context.with(trace.setSpanContext(context.active(), toOtel(parent)), work),
});

function toSpan(started: OtelSpan): Span {
  const set = (attributes: SpanAttributes): void => {
    started.setAttributes(toAttributes(attributes));
    if (attributes["error.type"] !== undefined) started.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    context: fromOtel(started.spanContext()),
    run: (work) => context.with(trace.setSpan(context.active(), started), work),
    set,
    end(attributes = {}) {
      set(attributes);
      started.end();
    },
  };
}

/**
 * The attributes that have a value. Each span needs them some times, so there are no arrays in
 * between.
 */
function toAttributes(attributes: SpanAttributes): Attributes {
  const defined: Attributes = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

function toOtel(at: TraceContext): SpanContext {
  const { traceparent, tracestate } = at;
  return {
    traceId: traceIdOf(at),
    spanId: spanIdOf(at),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
    ...(tracestate === null ? {} : { traceState: createTraceState(tracestate) }),
  };
}

/** Sampled, and that the trace id is random: no other flag has a meaning yet. */
const knownFlags = 0x03;

/**
 * Reads the context of a span; null: OpenTelemetry has been stopped. Only a tracestate has to be
 * checked: a program around us may make it too long.
 */
function fromOtel({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext | null {
  if (traceId === INVALID_TRACEID) return null;
  const flags = (traceFlags & knownFlags).toString(16).padStart(2, "0");
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return traceState === undefined
    ? { traceparent, tracestate: null }
    : readTraceContext(traceparent, traceState.serialize());
}
