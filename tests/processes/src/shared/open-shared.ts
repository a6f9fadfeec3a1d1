import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { guardProcess } from "@holdfast/local-stack";
import { sharedProgram } from "@holdfast/test-servers";
import {
  type LaunchedService,
  processSettings,
  type StartOptions,
  watchLog,
} from "../start-service.ts";
import type { FromShared, ToShared } from "./messages.ts";

/** A process that several services share. Disposing stops them all, and it. */
export interface SharedProcess extends AsyncDisposable {
  /**
   * Starts a service in it. What only a process can receive, such as SIGKILL, a service in it
   * refuses.
   */
  launch(options: Omit<StartOptions, "nodeOptions">): LaunchedService;
}

/** A service in the process, as the reader of its messages knows it. */
interface Part {
  readonly read: (line: string) => void;
  /** Called once, with why it failed; null: it stopped after its signal. */
  readonly end: (reason: string | null) => void;
}

/** Starts a process without services. */
export function openShared(): SharedProcess {
  const child = spawn(process.execPath, [...sharedProgram()], {
    ...processSettings({}),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.on("error", () => {});
  const pid = child.pid ?? 0;
  const guard = guardProcess(pid, "SIGKILL");
  const parts = new Map<number, Part>();
  const lastWords = keepLastWords(child);
  const exited = once(child, "exit");
  void exited.finally(() => {
    guard[Symbol.dispose]();
    for (const part of parts.values()) {
      for (const line of lastWords) part.read(line);
      part.end("Its process ended.");
    }
  });
  child.on("message", (message: FromShared) => {
    const part = parts.get(message.id);
    if ("line" in message) return part?.read(message.line);
    parts.delete(message.id);
    part?.end(message.ended);
  });
  const tell = (message: ToShared): void => void child.send(message, () => {});

  let services = 0;
  return {
    launch(options) {
      services += 1;
      const id = services;
      const stop = (): void => tell({ do: "stop", id });
      const { part, service } = openPart(options, { pid, stop });
      parts.set(id, part);
      tell({ do: "start", id, service: options.service, env: options.env });
      return service;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

interface Place {
  readonly pid: number;
  readonly stop: () => void;
}

/** A service of a shared process, as it is seen from both sides. */
function openPart(
  { service, name = service, onLog }: Omit<StartOptions, "nodeOptions">,
  { pid, stop }: Place,
): { readonly part: Part; readonly service: LaunchedService } {
  const log = watchLog(name, (line) => onLog?.(line, name, pid));
  const { promise: exited, resolve } = Promise.withResolvers<number | null>();
  let isRunning = true;
  return {
    part: {
      read: log.read,
      end(reason) {
        isRunning = false;
        if (reason !== null) log.read(reason);
        log.ended();
        resolve(reason === null ? 0 : 1);
      },
    },
    service: {
      ready: log.ready,
      process: {
        name,
        pid,
        exited,
        get isRunning() {
          return isRunning;
        },
        signal(signal) {
          if (signal === "SIGTERM") return stop();
          throw new Error(`${name} shares its process: have it start apart to send ${signal}.`);
        },
        async [Symbol.asyncDispose]() {
          if (isRunning) stop();
          await exited;
        },
      },
    },
  };
}

/** The last lines that a process printed itself, beside the logs of its services. */
function keepLastWords(child: ChildProcess): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > 20) lines.shift();
    });
  }
  return lines;
}
