import { readFileSync } from "node:fs";
import { type Process, processes, serverProcesses } from "../processes.ts";

/** Bytes, by part. Linux only: zeros elsewhere. */
export type MemoryByPart = Readonly<Record<string, number>>;

interface Field {
  readonly file: string;
  readonly name: string;
}

const resident: Field = { file: "status", name: "VmRSS" };
const own: Field = { file: "smaps_rollup", name: "Pss_Anon" };
const shared: Field = { file: "smaps_rollup", name: "Pss_Shmem" };

/** `services`: their process ids, by name. What processes of Postgres share is counted once. */
export function lookAtMemory(
  services: Readonly<Record<string, number>>,
  dataFolder: string,
): MemoryByPart {
  const { broker, postgres } = serverProcesses(processes(), dataFolder);
  return {
    ...Object.fromEntries(
      Object.entries(services).map(([name, pid]) => [name, readField(pid, resident)]),
    ),
    RabbitMQ: sum(broker, resident),
    "Postgres, own": sum(postgres, own),
    "Postgres, shared": sum(postgres, shared),
  };
}

const sum = (some: readonly Process[], field: Field): number =>
  some.reduce((bytes, { pid }) => bytes + readField(pid, field), 0);

function readField(pid: number, { file, name }: Field): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0; // It ended between the two looks.
  }
}
