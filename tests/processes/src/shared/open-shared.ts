import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { guardProcess } from "@holdfast/local-stack";
import { sharedProgram } from "@holdfast/test-servers";
import {
  type LaunchedService,
  type LogLine,
  processSettings,
  type StartOptions,
  watchLog,
} from "../start-service.ts";
import type { FromShared, ToShared } from "./messages.ts";

/** A process that several services share. Disposing stops them all, and it. */
export interface SharedProcess extends AsyncDisposable {
  /** Starts a service in it. What only a process can be told, such as SIGKILL, a service in it refuses. */
  launch(options: Omit<StartOptions, "nodeOptions">): LaunchedService;
}

interface Part {
  readonly read: (line: string) => void;
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
  const lastWords: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lastWords.push(line);
      if (lastWords.length > 20) lastWords.shift();
    });
  }
  const exited = once(child, "exit").then(() => {
    guard[Symbol.dispose]();
    for (const part of parts.values()) {
      for (const line of lastWords) part.read(line);
      part.end("its process ended");
    }
    parts.clear();
  });
  child.on("message", (message: FromShared) => {
    const part = parts.get(message.id);
    if ("line" in message) return part?.read(message.line);
    parts.delete(message.id);
    part?.end(message.ended);
  });
  const tell = (message: ToShared): void => void child.send(message, () => {});

  let ids = 0;
  return {
    launch({ service, name = service, env, onLog }) {
      ids += 1;
      const id = ids;
      const log = watchLog(name, (line: LogLine) => onLog?.(line, name, pid));
      const { promise: ended, resolve } = Promise.withResolvers<number | null>();
      let isRunning = true;
      parts.set(id, {
        read: log.read,
        end(reason) {
          isRunning = false;
          if (reason !== null) log.read(reason);
          log.ended();
          resolve(reason === null ? 0 : 1);
        },
      });
      tell({ do: "start", id, service, env });
      const stop = (): void => tell({ do: "stop", id });
      return {
        ready: log.ready,
        process: {
          name,
          pid,
          exited: ended,
          get isRunning() {
            return isRunning;
          },
          signal(signal) {
            if (signal !== "SIGTERM") {
              throw new Error(`${name} shares its process: have it start apart to send ${signal}.`);
            }
            stop();
          },
          async [Symbol.asyncDispose]() {
            if (isRunning) stop();
            await ended;
          },
        },
      };
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
