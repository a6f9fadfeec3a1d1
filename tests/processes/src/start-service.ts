import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { guardProcess, holdfastFolder } from "@holdfast/local-stack";
import { programAt, repository, sourceAt } from "@holdfast/test-servers";

/** One line of a service's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A service of this repository, running as a process of its own. */
export interface LaunchedProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly isRunning: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it is gone, to its exit code, or to null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

export interface ServiceProcess extends LaunchedProcess {
  /** The fields of the line with which it said that it was ready. */
  readonly ready: LogLine;
}

export interface StartOptions {
  /**
   * The folder below `services/`, `partners`, or the path of another main file below the
   * repository's root.
   */
  readonly service: string;
  /** What it is called, where it is not by its folder. */
  readonly name?: string;
  readonly env: Readonly<Record<string, string>>;
  /** The root of the release whose service it is: this repository, unless given. */
  readonly root?: string;
  /** Is given each line of its log. */
  readonly onLog?: (line: LogLine, service: string, pid: number) => void;
  readonly nodeOptions?: readonly string[];
  /**
   * A command that becomes the process once it has changed what surrounds it: Node and its
   * arguments follow it.
   */
  readonly within?: readonly string[];
}

const programOf = (service: string, root: string): readonly string[] =>
  service.endsWith(".ts")
    ? sourceAt(service)
    : programAt(service === "partners" ? "examples/orders/partners" : `services/${service}`, root);

/**
 * What Node makes of the files is made once, and not for each process: they are up in two thirds of
 * the time.
 */
const compileCache = join(holdfastFolder(), "compile-cache");

/**
 * Starts a service and waits until it says that it is ready. Throws, with its last
 * words, when it ends before. Disposing asks it to stop and waits until it has.
 */
export async function startService(options: StartOptions): Promise<ServiceProcess> {
  const { process: launched, ready } = launchService(options);
  return Object.assign(launched, { ready: await ready });
}

/** A process that may not have said yet that it is ready. */
export interface LaunchedService {
  readonly process: LaunchedProcess;
  /** Rejects when it ends before. */
  readonly ready: Promise<LogLine>;
}

/** How a process of this repository is started, with this environment. */
export const processSettings = (env: StartOptions["env"], root = repository) => ({
  cwd: root,
  env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...env },
  // Ctrl-C reaches only the program that started the services. That program stops them, in order.
  detached: true,
});

/** Launches a service, for callers to whom one that never gets ready is of use, too. */
export function launchService(options: StartOptions): LaunchedService {
  const { service, name = service, env, root = repository, onLog, nodeOptions = [] } = options;
  const node = [process.execPath, ...nodeOptions, ...programOf(service, root)];
  const [command = "", ...args] = [...(options.within ?? []), ...node];
  const child = spawn(command, args, {
    ...processSettings(env, root),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  // Should we be killed with -9, it is not left behind.
  const guard = guardProcess(child.pid ?? 0, "SIGKILL");
  void exited.finally(() => guard[Symbol.dispose]());
  const pid = child.pid ?? 0;
  const log = watchLog(name, (line) => onLog?.(line, name, pid));
  child.once("exit", log.ended);
  // Read to the end: a full pipe would stop the service.
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", log.read);
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const launched: LaunchedProcess = {
    name,
    pid,
    exited,
    get isRunning() {
      return isRunning();
    },
    signal(signal) {
      // The log shows what the test did to the service, between its own lines.
      onLog?.({ level: 30, time: Date.now(), msg: `the test sends ${signal}` }, name, pid);
      child.kill(signal);
    },
    async [Symbol.asyncDispose]() {
      if (!isRunning()) return;
      // A process that was frozen cannot hear anything else.
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      await exited;
    },
  };
  return { process: launched, ready: log.ready };
}

interface WatchedLog {
  /**
   * Resolves to the line with which the service says that it is ready; rejects when it ends before.
   */
  readonly ready: Promise<LogLine>;
  readonly read: (text: string) => void;
  readonly ended: () => void;
}

/** The log of a service, of which the last lines are kept for an early end. */
export function watchLog(service: string, onLog: (line: LogLine) => void): WatchedLog {
  const { promise: ready, resolve, reject } = Promise.withResolvers<LogLine>();
  ready.catch(() => {}); // Its callers see it.
  const lastWords: string[] = [];
  return {
    ready,
    read(text) {
      const line = parse(text);
      lastWords.push(text.trimEnd());
      if (lastWords.length > 20) lastWords.shift();
      if (line === null) return;
      onLog(line);
      if (line.msg === "ready") resolve(line);
    },
    ended: () => reject(new Error(`${service} ended at its start:\n${lastWords.join("\n")}`)),
  };
}

function parse(text: string): LogLine | null {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}
