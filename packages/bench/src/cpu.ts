import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of CPU that the processes have used so far, by part. Linux only: empty elsewhere. */
export type CpuByPart = Readonly<Record<string, number>>;

/** What `/proc` counts in. */
const msPerTick = 10;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly command: string;
}

/** `parts`: the processes of our services; broker and Postgres are found by their commands. */
export function cpuByPart(parts: Readonly<Record<string, number>>): CpuByPart {
  const all = processes();
  const sum = (test: (one: Process) => boolean) =>
    all.filter(test).reduce((ticks, one) => ticks + one.ticks * msPerTick, 0);
  const ours = Object.entries(parts).map(([name, pid]) => [name, sum((one) => one.pid === pid)]);
  return {
    ...Object.fromEntries(ours),
    broker: sum(({ command }) => command.includes("beam.smp")),
    postgres: sum(({ command }) => command.startsWith("postgres:") || /\/postgres\0/.test(command)),
  };
}

function processes(): readonly Process[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)));
  } catch {
    return [];
  }
}

function readProcess(pid: number): readonly Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return [
      { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), command },
    ];
  } catch {
    return []; // It ended between the two looks.
  }
}
