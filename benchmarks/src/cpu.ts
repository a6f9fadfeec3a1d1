import { type Process, processes, serverProcesses } from "./processes.ts";

/**
 * Milliseconds of CPU that the processes have used so far, by part. Linux only: zeros elsewhere.
 */
export type CpuByPart = Readonly<Record<string, number>>;

/** What `/proc` counts in. */
const msPerTick = 10;

/** `services`: their process ids, by name. Of Postgres, connections that have ended included. */
export function cpuByPart(
  services: Readonly<Record<string, number>>,
  dataFolder: string,
): CpuByPart {
  const all = processes();
  const { broker, postgres } = serverProcesses(all, dataFolder);
  return {
    ...Object.fromEntries(
      Object.entries(services).map(([name, pid]) => [
        name,
        msOf(all.filter((one) => one.pid === pid)),
      ]),
    ),
    broker: msOf(broker),
    postgres: msOf(postgres),
  };
}

const msOf = (some: readonly Process[]): number =>
  some.reduce((ticks, one) => ticks + one.ticks, 0) * msPerTick;

/** Milliseconds of CPU for one of the orders between two looks, by part. */
export const cpuPerOrder = (before: CpuByPart, after: CpuByPart, orders: number): CpuByPart =>
  Object.fromEntries(
    Object.entries(after).map(([part, ms]) => [part, (ms - (before[part] ?? 0)) / orders]),
  );
