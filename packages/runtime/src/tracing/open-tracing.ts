import { noTracing, type Tracing } from "./tracing.ts";
import type { TracingConfig } from "./tracing-config.ts";

interface OpenTracingOptions {
  readonly config: TracingConfig;
  readonly service: string;
  readonly instanceId: string;
  readonly warn: (detail: string) => void;
}

export type OpenTracing = Tracing & AsyncDisposable;

/** Whether there will be traces in this process. */
export const isTraced = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: TracingConfig): boolean =>
  endpoint !== undefined || isStarted();

/**
 * The tracing of this process. Without `OTEL_EXPORTER_OTLP_ENDPOINT` nothing of OpenTelemetry is
 * loaded. A process that has OpenTelemetry already, such as by `node --require`, keeps it, and its
 * spans are among the others.
 */
export async function openTracing({
  config,
  ...options
}: OpenTracingOptions): Promise<OpenTracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined || isStarted()) return { ...(await foundTracing()), ...notOurs };
  const { startSdk } = await import("./start-sdk.ts");
  return startSdk({ ...options, config: { ...config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
}

/**
 * The tracing that the program around us has started; none if it has not. For code that reads no
 * environment.
 */
export async function foundTracing(): Promise<Tracing> {
  if (!isStarted()) return noTracing;
  const { otelTracing } = await import("./otel-tracing.ts");
  return otelTracing();
}

const notOurs = { [Symbol.asyncDispose]: () => Promise.resolve() };

/**
 * Whether OpenTelemetry's API has been set up in this process, in the place where all copies of it
 * meet. Looked at, so that none has to be loaded.
 */
const isStarted = (): boolean => {
  const api: unknown = Reflect.get(globalThis, Symbol.for("opentelemetry.js.api.1"));
  return typeof api === "object" && api !== null && "trace" in api && api.trace !== undefined;
};
