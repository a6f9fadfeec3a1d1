import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { guardProcess } from "@holdfast/local-stack";
import type { Measurement } from "../subject.ts";
import type { MeasuredMessage, ReadyMessage } from "./contender-program.ts";

/** A contender's program that runs and is ready. Disposing ends it with all that it started. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** What it started, by what that does. */
  readonly pids: ReadyMessage["pids"];
  /** Throws, with its last words, if the program ends meanwhile. */
  measure(measurement: Measurement): Promise<readonly number[]>;
}

export interface ProgramOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** Milliseconds that a program may take to stop what it started. */
const stopWithin = 30_000;

/** Starts the program in that file, which is one of a contender. */
export async function startProgram(file: string, options: ProgramOptions): Promise<Program> {
  const child = spawnProgram(file, options);
  const exited = once(child, "exit");
  const guard = guardProcess(child.pid ?? 0, "SIGKILL");
  void exited.finally(() => guard[Symbol.dispose]());
  const answer = async <Message>(): Promise<Message> => {
    const heard = once(child, "message") as Promise<[Message]>;
    const [message] = await Promise.race([heard, exited.then(() => [null] as const)]);
    if (message !== null) return message;
    throw new Error(`${file} has ended:\n${lastLines(options.logFile)}`);
  };
  const { pids } = await answer<ReadyMessage>();
  return {
    pid: child.pid ?? 0,
    pids,
    async measure(measurement) {
      child.send(measurement);
      return (await answer<MeasuredMessage>()).times;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill("SIGKILL"), stopWithin);
      await exited;
      clearTimeout(late);
    },
  };
}

function spawnProgram(file: string, { env, logFile }: ProgramOptions): ChildProcess {
  const log = openSync(logFile, "a");
  const flags = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, file], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", log, log, "ipc"],
    detached: true,
  });
  closeSync(log);
  return child;
}

const lastLines = (logFile: string): string =>
  readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-20).join("\n");
