import { readTraceContext, spanIdOf, type TraceContext, traceIdOf } from "@holdfast/domain";
import {
  type Attributes,
  context,
  createTraceState,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { holdfastVersion } from "../service/version.ts";
import type { Span, SpanAttributes, Tracing } from "./tracing.ts";

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Spans by the OpenTelemetry of this process, whether Holdfast or the program around it started that. `useId` has the next span get this id. */
export function otelTracing(useId: (spanId: string | null) => void = () => {}): Tracing {
  const schemaUrl = "https://opentelemetry.io/schemas/1.45.0";
  const tracer = trace.getTracerProvider().getTracer("holdfast", holdfastVersion(), { schemaUrl });
  return {
    isOn: true,
    span(name, { kind = "internal", parent, links = [], attributes = {}, age, spanId = null }) {
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

const toAttributes = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

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

function fromOtel({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext | null {
  const flags = traceFlags.toString(16).padStart(2, "0");
  return readTraceContext(`00-${traceId}-${spanId}-${flags}`, traceState?.serialize());
}
