import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guardProcess } from "./guard-process.ts";
import { writePidFile } from "./pid-file.ts";

export interface ProcessOptions {
  /** The folder of its log and its pid file. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** What ends it should this process end without stopping it. */
  readonly lastSignal?: NodeJS.Signals;
}

/** A server that we started, and that ends with us. */
export interface OwnedProcess {
  readonly pid: number;
  /** Resolves when it has ended, for whatever reason. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** Its last words, for an error message. */
  lastLines(): string;
  /** Sends the signal, and does not wait. */
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits for the end; what has not ended after `graceMs` is killed. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

/**
 * Starts a server in a session of its own: Ctrl-C reaches this process only, which then ends its
 * servers in order. Should it end without doing so, a guard takes them along; should that be
 * killed, too, the pid file lets the next run end them.
 */
export function startProcess(
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  { folder, env = process.env, cwd = folder, user, lastSignal = "SIGKILL" }: ProcessOptions,
): OwnedProcess {
  const logFile = join(folder, `${name}.log`);
  const pidFile = join(folder, `${name}.pid`);
  const log = openSync(logFile, "a");
  const from = readFileSync(logFile).byteLength;
  const stdio: ["ignore", number, number] = ["ignore", log, log];
  const child = spawn(command, args, { cwd, env, detached: true, stdio, ...user });
  closeSync(log);

  const { promise: exited, resolve } = Promise.withResolvers<void>();
  child.once("error", () => resolve());
  if (child.pid === undefined) throw new Error(`${command} could not be started.`);
  writePidFile(pidFile, child.pid);
  const guard = guardProcess(child.pid, lastSignal);
  child.once("exit", () => {
    guard[Symbol.dispose]();
    rmSync(pidFile, { force: true });
    resolve();
  });

  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid,
    exited,
    hasExited,
    lastLines() {
      const written = readFileSync(logFile).subarray(from).toString();
      return written.trimEnd().split("\n").slice(-20).join("\n");
    },
    signal: (signal) => void child.kill(signal),
    async stop(signal, graceMs) {
      if (hasExited()) return exited;
      child.kill(signal);
      const timeout = new AbortController();
      const late = sleep(graceMs, "late", { signal: timeout.signal }).catch(() => "ended");
      if ((await Promise.race([exited, late])) === "late") child.kill("SIGKILL");
      timeout.abort();
      await exited;
    },
  };
}
