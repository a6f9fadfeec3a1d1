import { fileURLToPath } from "node:url";
import type { LogLine, ServiceProcess } from "@holdfast/processes";

/** What a process has counted since its start. */
export interface ProcessCounts {
  /** Published to RabbitMQ, heartbeats left out. */
  readonly messages: number;
  /** Bytes of their bodies. */
  readonly messageBytes: number;
  readonly allocatedBytes: number;
}

/** The message of the log line in which a process states its counts. */
export const counted = "counted";

/** Option of Node that has a service count. */
export const countingOption = `--import=${fileURLToPath(new URL("count-in-process.ts", import.meta.url))}`;

/** Asks processes for their counts. Give `onLog` to the one who starts them. */
export interface CountReader {
  readonly onLog: (line: LogLine, service: string, pid: number) => void;
  countsOf(process: ServiceProcess): Promise<ProcessCounts>;
}

export function countReader(): CountReader {
  const waiting = new Map<number, (line: LogLine) => void>();
  return {
    onLog(line, _service, pid) {
      if (line.msg === counted) waiting.get(pid)?.(line);
    },
    async countsOf(process) {
      const { promise, resolve } = Promise.withResolvers<LogLine>();
      waiting.set(process.pid, resolve);
      process.signal("SIGUSR2");
      const line = await promise;
      const count = (name: keyof ProcessCounts) => Number(line[name]);
      return {
        messages: count("messages"),
        messageBytes: count("messageBytes"),
        allocatedBytes: count("allocatedBytes"),
      };
    },
  };
}
