import { Fault, SetupFault } from "@holdfast/domain";
import type { Logger } from "pino";
import type { TObject } from "typebox";
import { injectedFaults } from "../faults/failpoint.ts";
import { type OpenService, openService, type Service, type WorkOptions } from "./service.ts";

/** EX_CONFIG of sysexits.h: starting it again as it is will not help. */
const wrongConfiguration = 78;
/** EX_NOPERM of sysexits.h: a server has refused the login for as long as `LOGIN_TIMEOUT`. */
const loginRefused = 77;
const longestInterval = 2 ** 31 - 1;

/**
 * Makes this process one service: reads the configuration from the environment, works until a
 * signal to stop, and exits. A transient fault, such as a store that does not answer at the start,
 * runs the service again. Every other uncaught error ends the process: its work is safe in the
 * state store, its memory is not.
 */
export const runService = <Schema extends TObject>(service: Service<Schema>): Promise<void> =>
  runToTheEnd(service, "retry");

/**
 * Makes this process a service whose work ends by itself, such as from cron: every fault ends the
 * process.
 */
export const runProcess = <Schema extends TObject>(service: Service<Schema>): Promise<void> =>
  runToTheEnd(service, "fail");

async function runToTheEnd<Schema extends TObject>(
  service: Service<Schema>,
  onTransientFault: NonNullable<WorkOptions["onTransientFault"]>,
): Promise<void> {
  const opened = await openService(service, { env: process.env }).catch(refuseConfiguration);
  const { log } = opened;
  const signal = stopOnSignals(opened);
  injectedFaults.subscribe((fault) => log.warn(fault, "fault injected"));
  const crash = crashWith(log);
  process.once("uncaughtException", crash).once("unhandledRejection", crash);
  // Node ends a process that waits for nothing but a signal; this one ends with its service.
  setInterval(() => {}, longestInterval);
  try {
    await opened.work({ signal, onTransientFault });
  } catch (err) {
    if (err instanceof Fault && err.code === "config.invalid") refuseConfiguration(err);
    if (err instanceof SetupFault && err.code.endsWith(".login_refused")) {
      log.fatal({ err }, "login refused for too long");
      process.exit(loginRefused);
    }
    crash(err);
  }
  process.exit();
}

function refuseConfiguration(error: unknown): never {
  if (!(error instanceof Fault)) throw error;
  process.stderr.write(`The configuration is wrong:\n${error.message}\n`);
  process.exit(wrongConfiguration);
}

const crashWith =
  (log: Logger) =>
  (err: unknown): void => {
    log.fatal({ err }, "crashed");
    process.exit(1);
  };

/** The first signal asks to finish; a second one, or the end of the grace, ends the process. */
function stopOnSignals({ log, shutdownGrace: grace }: OpenService): AbortSignal {
  const stop = new AbortController();
  const onSignal = (received: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(1);
    log.info({ signal: received }, "stopping");
    stop.abort();
    setTimeout(() => {
      log.error({ grace, open: openResources() }, "shutdown timed out");
      process.exit(1);
    }, grace).unref();
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  return stop.signal;
}

/** What this process has open, by kind, and how many of each: it shows what a stop waits for. */
function openResources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
