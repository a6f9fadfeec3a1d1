import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { guardProcess } from "@holdfast/local-stack";

/** A process that has loaded its packages and waits for its environment. */
export interface PreparedProcess extends AsyncDisposable {
  readonly pid: number;
  readonly isRunning: boolean;
  /** Resolves when it is gone. */
  readonly exited: Promise<unknown>;
  /** Lets it become its main file. */
  begin(env: Readonly<Record<string, string>>): void;
  /** Called with each line that it prints, on either stream. */
  onLine(read: (line: string) => void): void;
  /** Called with each message that it sends us. */
  onMessage(read: (message: unknown) => void): void;
  signal(signal: NodeJS.Signals): void;
}

export interface ProcessOptions {
  /** The path of its main file. */
  readonly main: string;
  /** Packages that it loads before it begins; its main file finds them. */
  readonly packages: readonly string[];
  readonly folder: string;
  /** The folder in which Node keeps what it compiled. */
  readonly cacheFolder: string;
}

const starter = fileURLToPath(new URL(`./starter${extensionOf(import.meta.url)}`, import.meta.url));
/** Milliseconds in which a process that was asked to stop has stopped. */
const stopWithin = 10_000;

/**
 * The extension of our files: that of sources in the repository, that of compiled files everywhere
 * else.
 */
export function extensionOf(url: string): string {
  return url.endsWith(".ts") ? ".ts" : ".js";
}

/**
 * Starts a process that is ready to begin. Disposing asks it to stop, and ends it when it does not.
 */
export function prepareProcess({
  main,
  packages,
  folder,
  cacheFolder,
}: ProcessOptions): PreparedProcess {
  const conditions = process.execArgv.filter((one) => one.startsWith("--conditions"));
  const child = spawn(
    process.execPath,
    [...conditions, "--no-warnings", starter, main, ...packages],
    {
      cwd: folder,
      env: { ...withoutNpm(process.env), NODE_COMPILE_CACHE: cacheFolder },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // Ctrl-C is for us: we stop the processes ourselves, in order.
      detached: true,
    },
  );
  child.on("error", () => {});
  const exited = once(child, "exit");
  const guard = guardProcess(child.pid ?? 0, "SIGKILL");
  void exited.finally(() => guard[Symbol.dispose]());
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    exited,
    get isRunning() {
      return isRunning();
    },
    begin(env) {
      if (child.connected) child.send(env, () => {});
    },
    onLine: (read) => readLines(child, read),
    onMessage: (read) => void child.on("message", read),
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (!isRunning()) return;
      const late = setTimeout(() => child.kill("SIGKILL"), stopWithin);
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      await exited;
      clearTimeout(late);
    },
  };
}

function readLines(child: ChildProcess, read: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on("line", read);
  }
}

/** What npm says to its own children is not meant for ours. */
const withoutNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
