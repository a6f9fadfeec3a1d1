import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of CPU that the processes have used so far, by part. Linux only: zeros elsewhere. */
export type CpuByPart = Readonly<Record<string, number>>;

/** What `/proc` counts in. */
const msPerTick = 10;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly command: string;
}

/**
 * `services`: their process ids, by name. The servers are known by their data folder, which stands in
 * their commands; each connection to Postgres is a child of its server, ended ones included.
 */
export function cpuByPart(
  services: Readonly<Record<string, number>>,
  dataFolder: string,
): CpuByPart {
  const all = processes();
  const msOf = (test: (one: Process) => boolean) =>
    all.filter(test).reduce((ticks, one) => ticks + one.ticks, 0) * msPerTick;
  const ofOurs = (one: Process, name: string) =>
    one.command.includes(name) && one.command.includes(dataFolder);
  const postmaster = all.find((one) => ofOurs(one, "/postgres"))?.pid;
  return {
    ...Object.fromEntries(
      Object.entries(services).map(([name, pid]) => [name, msOf((one) => one.pid === pid)]),
    ),
    broker: msOf((one) => ofOurs(one, "beam.smp")),
    postgres: msOf(({ pid, parent }) => pid === postmaster || parent === postmaster),
  };
}

/** Milliseconds of CPU for one of the orders between two looks, by part. */
export const cpuPerOrder = (before: CpuByPart, after: CpuByPart, orders: number): CpuByPart =>
  Object.fromEntries(
    Object.entries(after).map(([part, ms]) => [part, (ms - (before[part] ?? 0)) / orders]),
  );

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
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const field = (index: number) => Number(fields[index]);
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    // Of children that have ended only Postgres has any: backends that were replaced.
    const ended = command.includes("/postgres") ? field(13) + field(14) : 0;
    return [{ pid, parent: field(1), ticks: field(11) + field(12) + ended, command }];
  } catch {
    return []; // It ended between the two looks.
  }
}
