import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CpuByPart, cpuByPart } from "../cpu.ts";
import type { Measurement } from "../subject.ts";
import type { Contender } from "./contenders.ts";
import { sharesOf } from "./shares.ts";
import { type Program, startProgram } from "./start-program.ts";

/** A contender that runs and is ready to be measured. */
export interface RunningContender {
  /**
   * Milliseconds. Processes share a crowd of orders, and the slowest of them counts; a lone order
   * goes to the first.
   */
  measure(measurement: Measurement): Promise<readonly number[]>;
  /** The CPU of all its processes, and of the servers that it uses. */
  cpu(): CpuByPart;
}

export interface ContenderPlace {
  /**
   * The folder of the contender and of the common servers: these are recognised by the folders
   * below.
   */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const folderOfPrograms = fileURLToPath(new URL("contenders", import.meta.url));

/** Starts the programs of a contender; `owner` ends them when it is disposed. */
export async function startContender(
  owner: AsyncDisposableStack,
  contender: Contender,
  { folder, env }: ContenderPlace,
): Promise<RunningContender> {
  const programs: Program[] = [];
  for (let index = 1; index <= contender.processes; index += 1) {
    const logFile = join(folder, `${contender.name}-${index}.log`);
    programs.push(
      owner.use(await startProgram(join(folderOfPrograms, contender.program), { env, logFile })),
    );
  }
  return {
    async measure(measurement) {
      const busy = measurement.kind === "lone" ? programs.slice(0, 1) : programs;
      const shares = sharesOf(measurement, busy.length);
      const times = await Promise.all(
        busy.map((program, index) => program.measure(shares[index] ?? measurement)),
      );
      return measurement.kind === "lone" ? times.flat() : [Math.max(...times.flat())];
    },
    cpu() {
      const { broker = 0, postgres = 0, ...own } = cpuByPart(pidsOf(programs), folder);
      const servers = { broker, postgres };
      const used = contender.servers.map((server) => [server, servers[server]] as const);
      return { ...own, ...Object.fromEntries(used) };
    },
  };
}

const nameOf = (name: string, index: number): string =>
  index === 0 ? name : `${name} ${index + 1}`;

function pidsOf(programs: readonly Program[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    programs.flatMap(({ pid, pids }, index) => [
      [nameOf("load", index), pid] as const,
      ...Object.entries(pids).map(([part, id]) => [nameOf(part, index), id] as const),
    ]),
  );
}
