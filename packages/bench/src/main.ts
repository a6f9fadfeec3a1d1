import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { startService } from "@holdfast/local-system";
import { connectBroker, wakeHint } from "@holdfast/messaging";
import { migrate, openStateStore } from "@holdfast/state-store";
import { type CpuByPart, cpuByPart } from "./cpu.ts";
import { type Bench, loneOrders, ordersPerSecond, percentile } from "./measure.ts";
import { threeSteps } from "./workflow.ts";

const { values: options } = parseArgs({
  options: {
    /** One run instead of three. */
    quick: { type: "boolean", default: false },
    /** Only one line of JSON on the standard output. */
    json: { type: "boolean", default: false },
    orders: { type: "string", default: "5000" },
  },
});
const orders = Number(options.orders);
const runs = options.quick ? 1 : 3;
const dataFolder = join(holdfastFolder(), "bench");
const lone = { warmUp: 50, measured: 300 };
const say = (line: string): void => {
  if (!options.json) process.stdout.write(`${line}\n`);
};

await using stack = await startLocalStack({
  purpose: "demo",
  dataFolder,
  fresh: true,
  log: say,
});
await using database = await createDatabase(stack.postgres.url);
await migrate(database.url);
await using store = await openStateStore({
  url: database.url,
  applicationName: "bench",
  maxConnections: 2,
});
await store.registerWorkflow(threeSteps.definition);

const shared = { BROKER_URL: stack.broker.url, LOG_LEVEL: "warn" };
await using agent = await startService({
  service: "packages/bench/src/agent.ts",
  env: { ...shared, LOG_LEVEL: "info" },
});
await using scheduler = await startService({
  service: "scheduler",
  env: { ...shared, LOG_LEVEL: "info", STATE_STORE_URL: database.url },
});
const quiet = { warn: () => {}, error: () => {} };
await using broker = await connectBroker({
  url: stack.broker.url,
  name: "bench",
  topology: "passive",
  agents: [],
  log: quiet,
});

const bench: Bench = { store, hint: wakeHint(broker) };
const cpu = (): CpuByPart =>
  cpuByPart({ scheduler: scheduler.pid, agents: agent.pid, load: process.pid }, dataFolder);

say("warming up …");
await ordersPerSecond(2_000, bench);
// Before the crowd: afterwards Postgres is busy with tidying up for a while.
await loneOrders(lone.warmUp, bench);
const times = await loneOrders(lone.measured, bench);
const rates: number[] = [];
for (let run = 1; run <= runs; run += 1) {
  const before = cpu();
  const rate = await ordersPerSecond(orders, bench);
  const after = cpu();
  rates.push(rate);
  const parts = Object.entries(after).map(
    ([part, ms]) => `${part} ${((ms - (before[part] ?? 0)) / orders).toFixed(2)}`,
  );
  say(`run ${run}: ${Math.round(rate)} orders/s; CPU ms an order: ${parts.join(", ")}`);
}
const violations = await store.findInvariantViolations({ batch: 1 });
if (violations.length > 0) throw new Error(`Not so: ${violations[0]?.invariant}`);
const round = (ms: number): number => Math.round(ms * 10) / 10;
const result = {
  ordersPerSecond: Math.round(
    percentile(
      rates.toSorted((a, b) => a - b),
      0.5,
    ),
  ),
  loneP50Ms: round(percentile(times, 0.5)),
  loneP99Ms: round(percentile(times, 0.99)),
};
say(`a lone order: p50 ${result.loneP50Ms} ms, p99 ${result.loneP99Ms} ms`);
process.stdout.write(`${JSON.stringify(result)}\n`);
