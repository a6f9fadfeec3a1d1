export type { Logger } from "pino";
export { digestOfKey, isKey, keyDigestPattern, makeKey } from "./access/principal-keys.ts";
export {
  type BrokerAddress,
  type ManagementAddress,
  readBrokerUrl,
  readManagementUrl,
} from "./config/broker-url.ts";
export { commandLine } from "./config/command-line.ts";
export {
  BaseConfig,
  BrokerManagementUrl,
  BrokerTakeOver,
  BrokerUrl,
  Duration,
  DurationOrOff,
  Events,
  environmentNames,
  Integer,
  LoginTimeout,
  longestKept,
  MaxMessageBytes,
  Names,
  Port,
  parseConfig,
  StateStoreUrl,
  StoreConnections,
  Text,
} from "./config/config.ts";
export {
  type Optimisations,
  optimisationNames,
  readOptimisations,
} from "./config/optimisations.ts";
export type { Environment } from "./config/read-variable.ts";
export { redactConfig, redacted } from "./config/redact-config.ts";
export { serverUrls } from "./config/server-urls.ts";
export { connectTimeoutOf, storeConnection, storeUrls } from "./config/store-url.ts";
export { type Failpoint, injectedFaults, seededRandom } from "./faults/failpoint.ts";
export { isLoopback } from "./http/addresses.ts";
export { type BoundedMap, boundedMap } from "./memory/bounded-map.ts";
export { type ByteBudget, byteBudget, type Reservation } from "./memory/byte-budget.ts";
export { type CachedReading, cachedReading } from "./metrics/cached-reading.ts";
export {
  type Measure,
  type MetricDefinition,
  type MetricDefinitions,
  type Metrics,
  noMetrics,
  type Reading,
} from "./metrics/metrics.ts";
export { type FailedAttempt, type ServerAccess, serverAccess } from "./servers/server-access.ts";
export { type DisposableStack, disposableStack } from "./service/disposable-stack.ts";
export { type Health, type HealthReport, openHealth } from "./service/health.ts";
export {
  type HostedService,
  type HostOptions,
  hostedNow,
  hostService,
  processVariables,
} from "./service/host-service.ts";
export { runProcess, runService } from "./service/run-service.ts";
export {
  defineService,
  type LogFields,
  type Service,
  type ServiceContext,
} from "./service/service.ts";
export { holdfastVersion } from "./service/version.ts";
export { batchCalls, overload } from "./time/batch-calls.ts";
export { type Clock, sleep, systemClock } from "./time/clock.ts";
export { causeOf, failureLog } from "./time/failure-log.ts";
export { type Repetition, repeat } from "./time/repeat.ts";
export { turns, turnsOf } from "./time/turns.ts";
export { unlessAborted, within } from "./time/within.ts";
export { attemptSpan, processSpan, sendSpan } from "./tracing/message-spans.ts";
export { foundTracing } from "./tracing/open-tracing.ts";
export {
  carriedOn,
  noTracing,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanOptions,
  type Tracing,
  traceFields,
} from "./tracing/tracing.ts";
export { longestSetting } from "./tracing/tracing-config.ts";
