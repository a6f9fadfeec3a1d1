import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { decodePercents } from "@holdfast/domain";
import { context, DiagLogLevel, diag, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { holdfastVersion } from "../service/version.ts";
import { otelTracing } from "./otel-tracing.ts";
import type { Span, Tracing } from "./tracing.ts";
import type { TracingConfig } from "./tracing-config.ts";

export interface SdkOptions {
  readonly config: TracingConfig & { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string };
  readonly service: string;
  readonly instanceId: string;
  /** Gets what the SDK has to say, such as that the collector is away. */
  readonly warn: (detail: string) => void;
}

/**
 * What waits for the collector: beyond that spans are dropped, so that a collector that is slow or
 * away costs a bounded amount of memory and no time.
 */
const queue = {
  maxQueueSize: 8_192,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 1_000,
  exportTimeoutMillis: 10_000,
};
/** Characters: a path or an id that a stranger sent may be of any length. */
const longestValue = 1_000;
/** Milliseconds in which what waits at the end is sent, or lost. */
const lastFlush = 2_000;

const silent = (): void => {};

/**
 * Starts OpenTelemetry for this process. Disposing it sends what waits, if the collector takes it
 * in time.
 */
export async function startSdk(options: SdkOptions): Promise<Tracing & AsyncDisposable> {
  const { config, warn } = options;
  const say = (detail: string): void => warn(detail.slice(0, 500));
  const logger = { error: say, warn: say, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const ids = chosenIds();
  const provider = new TracerProvider({
    resource: resourceOf(options),
    sampler: samplerOf(config),
    idGenerator: ids.generator,
    spanLimits: { attributeValueLengthLimit: longestValue },
    spanProcessors: [new BatchSpanProcessor({ exporter: await exporterOf(config), ...queue })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracing = otelTracing({ useId: ids.use, followsParent: true });
  const fetches = traceFetch(tracing);
  return {
    ...tracing,
    async [Symbol.asyncDispose]() {
      fetches[Symbol.dispose]();
      await inTime(provider.shutdown());
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, lastFlush);
  await Promise.race([work.catch(() => {}), late.promise]);
  clearTimeout(timer);
}

/**
 * Random ids, but for a span whose id is chosen: a span gets its id while it is started, and
 * nothing runs between.
 */
function chosenIds() {
  const random = new RandomIdGenerator();
  let next: string | null = null;
  return {
    use: (spanId: string | null): void => {
      next = spanId;
    },
    generator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => next ?? random.generateSpanId(),
    },
  };
}

const resourceOf = ({ config, service, instanceId }: SdkOptions) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        "service.namespace": "holdfast",
        "service.instance.id": instanceId,
        "service.version": holdfastVersion(),
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(
      resourceFromAttributes({
        "service.name": config.OTEL_SERVICE_NAME ?? `holdfast-${service}`,
      }),
    );

/** What the caller decided is always honoured: a trace is recorded as a whole, or not at all. */
function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig) {
  const roots = {
    parentbased_always_on: () => new AlwaysOnSampler(),
    parentbased_always_off: () => new AlwaysOffSampler(),
    parentbased_traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  } as const;
  return new ParentBasedSampler({ root: roots[name]() });
}

async function exporterOf(config: SdkOptions["config"]): Promise<SpanExporter> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: named = "" } = config;
  const options = { url: `${base.replace(/\/+$/, "")}/v1/traces`, headers: headersOf(named) };
  const { OTLPTraceExporter } =
    config.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter(options);
}

/** `name=value,name=value`, the values percent-encoded, as the specification has it. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .map((one) => one.split("="))
      .filter(([name]) => name !== undefined && name.trim() !== "")
      .map(([name = "", ...value]) => [name.trim(), decoded(value.join("=").trim())]),
  );

const decoded = (value: string): string => decodePercents(value) ?? value;

/** What Node's fetch says of a request, on channels that are part of undici's interface. */
interface FetchRequest {
  readonly method: string;
  readonly origin: string | URL;
  readonly headers: string | readonly string[];
  addHeader(name: string, value: string): void;
}

/**
 * Gives each fetch within a span one of its own, and has the remote service get its `traceparent`.
 * What is fetched outside of all spans is left alone, and so is a request that has a `traceparent`
 * already. The path is left out: it may hold personal data.
 */
function traceFetch(tracing: Tracing): Disposable {
  const open = new WeakMap<FetchRequest, Span>();
  const end = (request: FetchRequest, attributes: Parameters<Span["end"]>[0]): void => {
    open.get(request)?.end(attributes);
    open.delete(request);
  };
  const listeners = {
    "undici:request:create": (message: unknown) => {
      const { request } = message as { request: FetchRequest };
      const parent = tracing.current();
      if (parent === null || hasTrace(request)) return;
      const { hostname, port, protocol } = new URL(request.origin);
      const span = tracing.span(request.method, {
        kind: "client",
        parent,
        attributes: {
          "http.request.method": request.method,
          "server.address": hostname,
          "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
        },
      });
      open.set(request, span);
      if (span.context === null) return;
      const { traceparent, tracestate } = span.context;
      request.addHeader("traceparent", traceparent);
      if (tracestate !== null) request.addHeader("tracestate", tracestate);
    },
    "undici:request:headers": (message: unknown) => {
      const { request, response } = message as {
        request: FetchRequest;
        response: { statusCode: number };
      };
      const { statusCode } = response;
      end(request, {
        "http.response.status_code": statusCode,
        ...(statusCode >= 400 ? { "error.type": String(statusCode) } : {}),
      });
    },
    "undici:request:error": (message: unknown) => {
      const { request, error } = message as { request: FetchRequest; error: Error };
      end(request, { "error.type": error.name });
    },
  } as const;
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener);
  return {
    [Symbol.dispose]() {
      for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener);
    },
  };
}

/** Older versions of undici keep the headers as one text. */
const hasTrace = ({ headers }: FetchRequest): boolean =>
  typeof headers === "string"
    ? /^traceparent:/im.test(headers)
    : headers.some((name) => typeof name === "string" && name.toLowerCase() === "traceparent");
