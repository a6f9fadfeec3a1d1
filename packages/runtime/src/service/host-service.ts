import { AsyncLocalStorage } from "node:async_hooks";
import { ContractFault } from "@holdfast/domain";
import type { TObject } from "typebox";
import type { Environment } from "../config/read-variable.ts";
import { type LogFields, openService, type Service } from "./service.ts";

export interface HostOptions {
  /** What the service reads as its environment. */
  readonly env: Environment;
  /** Gets each line of its log. */
  readonly onLine: (line: string) => void;
}

/**
 * A service that shares its process with others. Disposing stops it, and waits until it has
 * stopped.
 */
export interface HostedService extends AsyncDisposable {
  readonly name: string;
  /** Resolves to what the service says of itself once it works; rejects if it ends before. */
  readonly ready: Promise<LogFields>;
  /** Resolves once it has stopped after its signal; rejects with why it ended by itself. */
  readonly ended: Promise<void>;
}

/**
 * The variables of an environment that act on a process as a whole: in a shared one they would act
 * on the other services, too, or on none.
 */
export const processVariables = (env: Environment): readonly string[] =>
  ["HOLDFAST_FAILPOINTS", "HOLDFAST_STORE_FAULTS", "NODE_OPTIONS"].filter(
    (name) => (env[name] ?? "") !== "",
  );

const part = new AsyncLocalStorage<string>();

/**
 * The name of the service whose code runs now: an uncaught error is named after it. Null: no such
 * code.
 */
export const hostedNow = (): string | null => part.getStore() ?? null;

/**
 * Runs a service in this process, beside others: with an environment, a log, metrics and a signal
 * to stop of its own. It neither listens to signals nor exits. Uncaught errors are for the process,
 * which should end: state that they leave behind is that of all its services.
 */
export function hostService<Schema extends TObject>(
  service: Service<Schema>,
  { env, onLine }: HostOptions,
): HostedService {
  const { name } = service;
  const stop = new AbortController();
  const { promise: ready, resolve, reject } = Promise.withResolvers<LogFields>();
  ready.catch(() => {}); // Its callers see it.
  const work = async (): Promise<void> => {
    refuseProcessVariables(name, env);
    const opened = await openService(service, { env, destination: { write: onLine } });
    const working = opened.work({ signal: stop.signal, onReady: resolve });
    await Promise.race([working, stopsInTime(stop.signal, name, opened.shutdownGrace)]);
  };
  const ended = part.run(name, work);
  let failed = false;
  ended.then(
    () => reject(new Error(`${name} was stopped before it was ready.`)),
    (error: unknown) => {
      failed = !stop.signal.aborted;
      reject(error);
    },
  );
  return {
    name,
    ready,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      // What ended it before stands in `ended`.
      if (!failed) await ended;
    },
  };
}

function refuseProcessVariables(name: string, env: Environment): void {
  const [variable] = processVariables(env);
  if (variable === undefined) return;
  throw new ContractFault(
    "config.invalid",
    `${variable} acts on a whole process: run ${name} in a process of its own`,
  );
}

/** Rejects when a service still works at the end of its grace after its signal to stop. */
function stopsInTime(signal: AbortSignal, name: string, grace: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`${name} did not stop within ${grace} ms.`));
  const begin = () => void setTimeout(late, grace).unref();
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true });
  return promise;
}
