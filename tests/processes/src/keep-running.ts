import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceName } from "./service-environment.ts";
import type { ServiceProcess } from "./start-service.ts";
import type { System } from "./start-system.ts";

interface KeepOptions {
  readonly start: () => Promise<ServiceProcess>;
  /** One that runs already; otherwise the first one is started. */
  readonly first?: ServiceProcess;
  /** Milliseconds from the end of a process to the next start. */
  readonly restBeforeStart?: number;
  /** Called with a process that has ended, for any reason, and its exit code. */
  readonly onEnd?: (process: ServiceProcess, code: number | null) => void;
  /** Ends the keeping, and no process. */
  readonly signal: AbortSignal;
}

/** A process that is started again whenever it ends, as an orchestrator would. */
export interface KeptProcess {
  /** The process; null while there is none that is ready. */
  readonly process: ServiceProcess | null;
  /** Resolves when a process is ready for the first time; rejects when the first start fails. */
  readonly started: Promise<void>;
  /** Resolves after the signal, when no start is under way any more. */
  readonly over: Promise<void>;
}

/** Keeps a process running. What it depends on may be down: a start that fails is tried again. */
export function keepRunning(options: KeepOptions): KeptProcess {
  const { start, first = null, restBeforeStart = 0, onEnd, signal } = options;
  let process = first;
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {}); // Its callers see it.

  const isOver = () => signal.aborted;
  const keep = async (): Promise<void> => {
    while (!isOver()) {
      try {
        process ??= await start();
        started.resolve();
      } catch (error) {
        started.reject(error);
        await pause(restBeforeStart, signal);
        continue;
      }
      const code = await untilEnded(process, signal);
      if (isOver()) return;
      onEnd?.(process, code);
      process = null;
      await pause(restBeforeStart, signal);
    }
  };
  return {
    get process() {
      return process;
    },
    started: started.promise,
    over: keep(),
  };
}

interface KeepAllOptions extends Pick<KeepOptions, "restBeforeStart" | "onEnd" | "signal"> {
  readonly system: Pick<System, "processes" | "start">;
  /** Further settings of the processes that are started. */
  readonly env?: Partial<Readonly<Record<ServiceName, Readonly<Record<string, string>>>>>;
}

/** Keeps all processes running that run now. Resolves after the signal and the last start. */
export async function keepAllRunning({ system, env, ...options }: KeepAllOptions): Promise<void> {
  const kept = [...system.processes].map((first) => {
    const name = first.name as ServiceName;
    return keepRunning({ ...options, first, start: () => system.start(name, env?.[name]) });
  });
  await Promise.all(kept.map(({ over }) => over));
}

/** Resolves to its exit code, or at once when the signal aborts. */
async function untilEnded(process: ServiceProcess, signal: AbortSignal): Promise<number | null> {
  const aborted = Promise.withResolvers<null>();
  const abort = (): void => aborted.resolve(null);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const code = await Promise.race([process.exited, aborted.promise]);
  signal.removeEventListener("abort", abort);
  return code;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {});
}
