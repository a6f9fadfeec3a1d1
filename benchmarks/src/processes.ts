import { readdirSync, readFileSync } from "node:fs";

/** A process of this machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** CPU time used so far, in hundredths of a second. */
  readonly ticks: number;
  readonly command: string;
}

/** The processes of both servers, found by their data folder, which stands in their commands. */
export interface ServerProcesses {
  readonly broker: readonly Process[];
  /** Each connection is a child of its server. */
  readonly postgres: readonly Process[];
}

export function serverProcesses(all: readonly Process[], dataFolder: string): ServerProcesses {
  const isOurs = ({ command }: Process, name: string) =>
    command.includes(name) && command.includes(dataFolder);
  const postmaster = all.find((one) => isOurs(one, "/postgres"))?.pid;
  return {
    broker: all.filter((one) => isOurs(one, "beam.smp")),
    postgres: all.filter(({ pid, parent }) => pid === postmaster || parent === postmaster),
  };
}

/** All that run. Linux only: none elsewhere. */
export function processes(): readonly Process[] {
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
