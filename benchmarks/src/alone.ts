import { join } from "node:path";
import { median, percentile, rounded } from "@holdfast/load";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { cpuByPart, cpuPerOrder } from "./cpu.ts";
import { holdfastSubject } from "./holdfast-subject.ts";
import type { BenchOptions } from "./options.ts";
import { startHoldfast } from "./start-holdfast.ts";
import { measure } from "./subject.ts";

const warmUp = { orders: 2_000, lone: 200 };
const lone = 300;

export interface AloneResult {
  readonly ordersPerSecond: number;
  readonly loneP50Ms: number;
  readonly loneP99Ms: number;
}

/** Measures Holdfast by itself, on servers of its own. Throws if it left a broken invariant. */
export async function measureAlone(
  { rounds, orders, without }: BenchOptions,
  say: (line: string) => void,
): Promise<AloneResult> {
  const dataFolder = join(holdfastFolder(), "bench");
  await using owner = new AsyncDisposableStack();
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const database = owner.use(await createDatabase(stack.postgres.url));
  const servers = { databaseUrl: database.url, brokerUrl: stack.broker.url, without };
  const { pids, ...holdfast } = await startHoldfast(owner, servers);
  const subject = holdfastSubject(holdfast);
  const cpu = () => cpuByPart({ ...pids, load: process.pid }, dataFolder);

  say("warming up …");
  await measure(subject, { kind: "backlog", orders: warmUp.orders });
  // Before the crowd: afterwards Postgres is busy with tidying up for a while.
  await measure(subject, { kind: "lone", orders: warmUp.lone });
  const times = await measure(subject, { kind: "lone", orders: lone });
  const rates: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const before = cpu();
    const [ms = Number.NaN] = await measure(subject, { kind: "backlog", orders });
    const parts = Object.entries(cpuPerOrder(before, cpu(), orders)).map(
      ([part, cpuMs]) => `${part} ${cpuMs.toFixed(2)}`,
    );
    rates.push((orders / ms) * 1_000);
    say(`run ${round}: ${rates.at(-1)?.toFixed()} orders/s; CPU ms an order: ${parts.join(", ")}`);
  }
  const [violation] = await holdfast.store.findInvariantViolations({ batch: 1 });
  if (violation !== undefined) throw new Error(`Broken invariant: ${violation.invariant}`);
  const result = {
    ordersPerSecond: Math.round(median(rates)),
    loneP50Ms: rounded(percentile(times, 0.5), 1),
    loneP99Ms: rounded(percentile(times, 0.99), 1),
  };
  say(`a lone order: p50 ${result.loneP50Ms} ms, p99 ${result.loneP99Ms} ms`);
  return result;
}
