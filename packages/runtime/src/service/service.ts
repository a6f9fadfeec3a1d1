import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { ContractFault, Fault, SetupFault } from "@holdfast/domain";
import { type DestinationStream, type Logger, pino } from "pino";
import type { Static, TObject } from "typebox";
import { type BaseConfig, parseConfig } from "../config/config.ts";
import { defaultSecrets } from "../config/default-secrets.ts";
import { type Optimisations, readOptimisations } from "../config/optimisations.ts";
import type { Environment } from "../config/read-variable.ts";
import { type Failpoint, openFailpoints } from "../faults/failpoint.ts";
import { measureProcess } from "../metrics/measure-process.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import type { ExposedMetrics } from "../metrics/open-metrics.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import { openServers, type ServerSetting } from "../servers/open-servers.ts";
import type { ServerAccess } from "../servers/server-access.ts";
import { sleep, systemClock } from "../time/clock.ts";
import { causeOf, failureLog } from "../time/failure-log.ts";
import { isTraced, type OpenTracing, openTracing } from "../tracing/open-tracing.ts";
import { type Tracing, traceFields } from "../tracing/tracing.ts";
import { type Health, openHealth, serveHealth } from "./health.ts";
import { type LogOutput, openStandardOutput } from "./log-output.ts";
import { sampleLogs } from "./sample-logs.ts";
import { holdfastVersion } from "./version.ts";

/** Fields of a line of the log. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * What a service gets to work with: nothing of it is shared with another service of the same
 * process.
 */
export interface ServiceContext<Config> {
  readonly config: Config;
  /** The environment that the configuration was read from, for what the service loads. */
  readonly env: Environment;
  readonly log: Logger;
  /** What this instance signs with: the `locked_by` of the state store. New at each start. */
  readonly instanceId: string;
  /** Aborts when the service must stop. Take no new work, finish the current work, and return. */
  readonly signal: AbortSignal;
  /** Resolves when `signal` aborts, for a service that only reacts to messages. */
  readonly stopped: Promise<unknown>;
  /** Says that the service works, and where: its caller waits for that. */
  readonly ready: (fields?: LogFields) => void;
  readonly health: Health;
  /**
   * The access to the server of this setting: the same one each time, also after a new start of the
   * service. A login that is refused for longer than `LOGIN_TIMEOUT` ends the service.
   */
  readonly access: (setting: ServerSetting) => ServerAccess;
  /** What `/metrics` exposes; nothing is measured without `HEALTH_PORT`. */
  readonly metrics: Metrics;
  /** Off, unless the environment sets traps for a test. */
  readonly failpoint: Failpoint;
  /** All on, unless a benchmark turns some off. */
  readonly optimisations: Optimisations;
  /** Off, unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set. */
  readonly tracing: Tracing;
}

/**
 * A service before it runs. `run` acquires what it needs with `await using`, so that everything is
 * released in reverse order whatever happens. It keeps no state in its modules: several may run in
 * one process.
 */
export interface Service<Schema extends TObject = TObject> {
  readonly name: string;
  /** The environment variables that it reads, checked before anything starts. */
  readonly config: Schema;
  run(context: ServiceContext<Static<Schema>>): Promise<void>;
}

/** Declares a service: `runService` makes a process of it, `hostService` a part of one. */
export const defineService = <Schema extends TObject>(
  name: string,
  config: Schema,
  run: (context: ServiceContext<Static<Schema>>) => Promise<void>,
): Service<Schema> => ({ name, config, run });

/** A service whose configuration is right, and that has a log: it does nothing yet. */
export interface OpenService {
  readonly log: Logger;
  readonly instanceId: string;
  /** Milliseconds within which it has stopped after its signal. */
  readonly shutdownGrace: number;
  /** Works until `signal` aborts. */
  work(options: WorkOptions): Promise<void>;
}

export interface WorkOptions {
  readonly signal: AbortSignal;
  /**
   * What a transient fault does: `retry`, which is usual, runs the service again; `fail` ends the
   * work with it.
   */
  readonly onTransientFault?: "retry" | "fail";
  /** Called with the fields of the line with which the service says that it is ready. */
  readonly onReady?: (fields: LogFields) => void;
}

interface Surroundings {
  readonly env: Environment;
  /** Gets the lines of the log; the standard output unless said otherwise. */
  readonly destination?: DestinationStream;
}

/**
 * Reads the configuration and opens the log. Throws a `config.invalid` that says what is wrong with
 * each variable.
 */
export async function openService<Schema extends TObject>(
  service: Service<Schema>,
  { env, destination }: Surroundings,
): Promise<OpenService> {
  const { name } = service;
  const config = readConfig(service.config, env);
  const base = config as BaseConfig;
  const failpoint = openFailpoints(env["HOLDFAST_FAILPOINTS"]);
  const optimisations = readOptimisations(env["HOLDFAST_WITHOUT"]);
  const instanceId = `${name}-${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  let tracing: OpenTracing | null = null;
  const mixin = isTraced(base) ? { mixin: () => traceFields(tracing?.current()) } : {};
  const named = { service: name, instance: instanceId };
  const { log, output } = openLog(named, base.LOG_LEVEL, { mixin, destination });
  const warn = (detail: string) => log.warn({ detail }, "trace export failed");
  const opened = await openTracing({ config: base, service: name, instanceId, warn });
  tracing = opened;
  return {
    log,
    instanceId,
    shutdownGrace: base.SHUTDOWN_GRACE,
    async work({ signal, onTransientFault = "retry", onReady = () => {} }) {
      await using _spans = opened;
      const health = openHealth(signal);
      const { HEALTH_HOST: host, HEALTH_PORT: port } = base;
      const exposed = port === 0 ? null : await exposedMetrics(name);
      using _sampling = exposed === null ? nothingSampled : measureProcess(exposed, health);
      exposed?.read(processMetrics.droppedLogLines, () => [[output?.dropped ?? 0]]);
      const probes = { host, port, ...(exposed === null ? {} : { metrics: exposed }) };
      await using _probes = await serveHealth(health, probes);
      log.info({ version: holdfastVersion() }, "started");
      const metrics = exposed ?? noMetrics;
      const run = onTransientFault === "retry" ? runUntilDone : runOnce;
      await untilRefused({ signal, grace: base.SHUTDOWN_GRACE }, (ends, giveUp) =>
        run(service, {
          config,
          env,
          log,
          instanceId,
          signal: ends,
          stopped: ends.aborted ? Promise.resolve() : once(ends, "abort"),
          access: openServers({ schema: service.config, config, env, log, metrics, giveUp }),
          ready(fields = {}) {
            log.info(fields, "ready");
            onReady(fields);
          },
          health,
          metrics,
          failpoint,
          optimisations,
          tracing: opened,
        }),
      );
      log.info("stopped");
    },
  };
}

interface LogOptions {
  /** Fields of each line that change. */
  readonly mixin: { readonly mixin?: () => object };
  readonly destination: DestinationStream | undefined;
}

/** Opens the log of a service; null: what it is given takes each line. */
function openLog(
  fields: object,
  level: BaseConfig["LOG_LEVEL"],
  { mixin, destination }: LogOptions,
): { readonly log: Logger; readonly output: LogOutput | null } {
  const output = destination === undefined ? openStandardOutput() : null;
  const to = destination ?? output;
  const log = pino(
    { level, base: fields, hooks: { logMethod: sampleLogs() }, ...mixin },
    ...(to === null ? [] : [to]),
  );
  output?.onRoom((dropped) => log.warn({ dropped }, "log lines dropped"));
  return { log, output };
}

function readConfig<Schema extends TObject>(schema: Schema, env: Environment): Static<Schema> {
  const config = parseConfig(schema, env);
  const faults = defaultSecrets(config);
  const { DEFAULT_SECRETS } = config as BaseConfig;
  if (faults.length === 0 || DEFAULT_SECRETS === "allowed") return config;
  throw new ContractFault("config.default_secret", faults.join("\n"));
}

const nothingSampled: Disposable = { [Symbol.dispose]: () => {} };

/**
 * Loaded only where they are exposed: the library takes a sixth of the time that a process needs to
 * start.
 */
async function exposedMetrics(name: string): Promise<ExposedMetrics> {
  const { openMetrics } = await import("../metrics/open-metrics.ts");
  return openMetrics(name);
}

const runOnce = <Schema extends TObject>(
  service: Service<Schema>,
  context: ServiceContext<Static<Schema>>,
): Promise<void> =>
  service.run(context).catch((err: unknown) => {
    // Thus ends what waits for a server at its start.
    if (!context.signal.aborted || err !== context.signal.reason) throw err;
  });

/** Milliseconds between two runs of a service that met a transient fault. */
const restartDelay = 1_000;

/** A restart of the process would do the same, and an orchestrator delays it for minutes. */
async function runUntilDone<Schema extends TObject>(
  service: Service<Schema>,
  context: ServiceContext<Static<Schema>>,
): Promise<void> {
  const { log, signal } = context;
  const failures = failureLog();
  do {
    try {
      return await runOnce(service, context);
    } catch (err) {
      if (!(err instanceof Fault && err.transient)) throw err;
      const count = failures.failed(causeOf(err));
      if (count !== null) {
        log.warn({ err, restartDelay, failures: count }, "service failed to start, retrying");
      }
    }
    await sleep(systemClock, restartDelay, signal);
  } while (!signal.aborted);
}

/**
 * Runs until the signal aborts, or a server refuses the login for too long. Then throws the fault
 * of that, once what ran has stopped, or after the grace.
 */
async function untilRefused(
  { signal, grace }: { readonly signal: AbortSignal; readonly grace: number },
  run: (ends: AbortSignal, giveUp: (fault: SetupFault) => void) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const giveUp = (fault: SetupFault): void => {
    if (ending.signal.aborted) return;
    ending.abort(fault);
    setTimeout(() => reject(fault), grace).unref();
  };
  try {
    await Promise.race([run(ending.signal, giveUp), overdue]);
  } catch (err) {
    throw refusalOf(ending.signal) ?? err;
  }
  const refusal = refusalOf(ending.signal);
  if (refusal !== null) throw refusal;
}

const refusalOf = ({ reason }: AbortSignal): SetupFault | null =>
  reason instanceof SetupFault ? reason : null;
