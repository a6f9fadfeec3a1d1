import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { ContractFault, Fault } from "@holdfast/domain";
import { type Logger, pino } from "pino";
import type { Static, TObject } from "typebox";
import { type BaseConfig, parseConfig } from "../config/config.ts";
import { defaultSecrets } from "../config/default-secrets.ts";
import { type Optimisations, readOptimisations } from "../config/optimisations.ts";
import { type Failpoint, openFailpoints } from "../faults/failpoint.ts";
import { injectedFaults } from "../faults/injected-faults.ts";
import { measureProcess } from "../metrics/measure-process.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import type { ExposedMetrics } from "../metrics/open-metrics.ts";
import { sleep, systemClock } from "../time/clock.ts";
import { isTraced, type OpenTracing, openTracing } from "../tracing/open-tracing.ts";
import { traceFields } from "../tracing/trace-fields.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { type Health, openHealth, serveHealth } from "./health.ts";
import { sampleLogs } from "./sample-logs.ts";
import { holdfastVersion } from "./version.ts";

export interface ServiceContext<Config> {
  readonly config: Config;
  readonly log: Logger;
  /** What this process signs with: the `locked_by` of the state store. New at each start. */
  readonly instanceId: string;
  /** Aborts on SIGTERM or SIGINT. Take no new work, finish the current work, and return. */
  readonly signal: AbortSignal;
  /** Resolves when `signal` aborts, for a service that only reacts to messages. */
  readonly stopped: Promise<unknown>;
  readonly health: Health;
  /** What `/metrics` exposes; nothing is measured without `HEALTH_PORT`. */
  readonly metrics: Metrics;
  /** Off, unless the environment sets traps for a test. */
  readonly failpoint: Failpoint;
  /** All on, unless a benchmark turns some off. */
  readonly optimisations: Optimisations;
  /** Off, unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set. */
  readonly tracing: Tracing;
}

/** EX_CONFIG of sysexits.h: starting it again as it is will not help. */
const wrongConfiguration = 78;
const longestInterval = 2 ** 31 - 1;
/** Milliseconds between two runs of a body that met a transient fault. */
const restartDelay = 1_000;

type Body<Schema extends TObject> = (context: ServiceContext<Static<Schema>>) => Promise<void>;

/**
 * Runs one service: read the configuration, work until a signal to stop, exit. `body` acquires what it
 * needs with `await using`, so that everything is released in reverse order whatever happens. A
 * transient fault of the body, such as a store that does not answer at the start, runs it again.
 * Every other uncaught error ends the process: its work is safe in the state store, its memory is not.
 */
export const runService = <Schema extends TObject>(
  name: string,
  schema: Schema,
  body: Body<Schema>,
): Promise<void> =>
  runProcess(name, schema, (context) => runUntilDone(() => body(context), context));

/** The same for work that ends by itself, such as from cron: every fault ends the process. */
export async function runProcess<Schema extends TObject>(
  name: string,
  schema: Schema,
  body: Body<Schema>,
): Promise<void> {
  const config = readConfig(schema);
  const base = config as BaseConfig;
  const instanceId = `${name}-${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  let tracing: OpenTracing | null = null;
  const log = pino({
    level: base.LOG_LEVEL,
    base: { service: name, instance: instanceId },
    hooks: { logMethod: sampleLogs() },
    ...(isTraced(base) ? { mixin: () => traceFields(tracing?.current()) } : {}),
  });
  const warn = (detail: string) => log.warn({ detail }, "trace export failed");
  tracing = await openTracing({ config: base, service: name, instanceId, warn });
  const stop = stopOnSignals(log, base.SHUTDOWN_GRACE);
  const stopped = once(stop, "abort");
  injectedFaults.subscribe((fault) => log.warn(fault, "fault injected"));
  const crash = (err: unknown) => {
    log.fatal({ err }, "crashed");
    process.exit(1);
  };
  process.once("uncaughtException", crash).once("unhandledRejection", crash);
  // Node ends a process that waits for nothing but a signal; this one ends with its body.
  setInterval(() => {}, longestInterval);

  try {
    const health = openHealth(stop);
    const { HEALTH_HOST: host, HEALTH_PORT: port } = base;
    const exposed = port === 0 ? null : await exposedMetrics(name);
    using _sampling = exposed === null ? nothingSampled : measureProcess(exposed, health);
    const metrics = exposed ?? noMetrics;
    await using _probes = await serveHealth(health, {
      host,
      port,
      ...(exposed === null ? {} : { metrics: exposed }),
    });
    log.info({ version: holdfastVersion() }, "started");
    const failpoint = openFailpoints(process.env["HOLDFAST_FAILPOINTS"]);
    const optimisations = readOptimisations(process.env["HOLDFAST_WITHOUT"]);
    const settings = { config, failpoint, optimisations, tracing };
    await body({ ...settings, log, instanceId, signal: stop, stopped, health, metrics });
    await tracing[Symbol.asyncDispose]();
    log.info("stopped");
  } catch (err) {
    if (err instanceof ContractFault && err.code === "config.invalid") refuseConfiguration(err);
    crash(err);
  }
  process.exit();
}

const nothingSampled: Disposable = { [Symbol.dispose]: () => {} };

/** Loaded only where they are exposed: the library takes a sixth of the time that a process needs to start. */
async function exposedMetrics(name: string): Promise<ExposedMetrics> {
  const { openMetrics } = await import("../metrics/open-metrics.ts");
  return openMetrics(name);
}

/** A restart of the process would do the same, and an orchestrator delays it for minutes. */
async function runUntilDone(
  body: () => Promise<void>,
  { log, signal }: Pick<ServiceContext<unknown>, "log" | "signal">,
): Promise<void> {
  do {
    try {
      return await body();
    } catch (err) {
      if (!(err instanceof Fault && err.transient)) throw err;
      log.warn({ err, restartDelay }, "service failed to start, retrying");
    }
    await sleep(systemClock, restartDelay, signal);
  } while (!signal.aborted);
}

function readConfig<Schema extends TObject>(schema: Schema): Static<Schema> {
  try {
    const config = parseConfig(schema, process.env);
    const faults = defaultSecrets(config);
    const { DEFAULT_SECRETS } = config as BaseConfig;
    if (faults.length === 0 || DEFAULT_SECRETS === "allowed") return config;
    throw new ContractFault("config.default_secret", faults.join("\n"));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    refuseConfiguration(error);
  }
}

function refuseConfiguration({ message }: Fault): never {
  process.stderr.write(`The configuration is wrong:\n${message}\n`);
  process.exit(wrongConfiguration);
}

/** The first signal asks to finish; a second one, or the end of the grace, ends it. */
function stopOnSignals(log: Logger, grace: number): AbortSignal {
  const stop = new AbortController();
  const onSignal = (received: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(1);
    log.info({ signal: received }, "stopping");
    stop.abort();
    setTimeout(() => {
      log.error({ grace }, "shutdown timed out");
      process.exit(1);
    }, grace).unref();
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return stop.signal;
}
