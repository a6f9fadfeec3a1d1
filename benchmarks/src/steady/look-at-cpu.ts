import { cpus } from "node:os";
import { sum } from "@holdfast/load";
import { type CpuByPart, cpuByPart, cpuPerOrder } from "../cpu.ts";

export interface CpuFacts {
  /** Milliseconds for an order, by part. */
  readonly perOrder: CpuByPart;
  /** What others took of the machine: 0 for nothing, 1 for all of its cores. */
  readonly others: number;
}

/** Looks at what was used since the call before, or since it was made. */
export function cpuWatch(
  services: Readonly<Record<string, number>>,
  dataFolder: string,
): (orders: number) => CpuFacts {
  const look = () => ({
    at: performance.now(),
    all: used(),
    parts: cpuByPart(services, dataFolder),
  });
  let before = look();
  return (orders) => {
    const after = look();
    const ours = sum(Object.values(after.parts)) - sum(Object.values(before.parts));
    const others = after.all - before.all - ours;
    const facts = {
      perOrder: cpuPerOrder(before.parts, after.parts, orders),
      others: Math.max(0, others / (after.at - before.at) / cpus().length),
    };
    before = after;
    return facts;
  };
}

/** Milliseconds that all cores were busy, for whomever. */
const used = (): number =>
  sum(cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq));
