import { commandLine } from "@holdfast/runtime";
import { measureAgainst } from "./against/measure-against.ts";
import { measureAlone } from "./alone.ts";
import { measureConsole } from "./console/measure-console.ts";
import { measureCounters } from "./counters/check-counters.ts";
import { measureOutages } from "./disturbed/measure-outages.ts";
import { measureRollouts } from "./disturbed/measure-rollouts.ts";
import { measureFlat } from "./flat/measure-flat.ts";
import { measureFlow } from "./flow/measure-flow.ts";
import { measureMigrate } from "./migrate/measure-migrate.ts";
import { measureObservability } from "./observability/measure-observability.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { measureOverload } from "./overload/measure-overload.ts";
import { comparePeers } from "./peers/compare-peers.ts";
import { measurePower } from "./power/measure-power.ts";
import { measureScale } from "./scale/measure-scale.ts";
import { measureSlowAgents } from "./slow-agents.ts";
import { measureSteady } from "./steady/measure-steady.ts";
import { measureSubmission } from "./submission.ts";
import { traceOrders } from "./trace/trace-orders.ts";

const modes = {
  alone: measureAlone,
  peers: comparePeers,
  trace: traceOrders,
  scale: measureScale,
  "slow-agents": measureSlowAgents,
  submission: measureSubmission,
  overload: measureOverload,
  outages: measureOutages,
  rollouts: measureRollouts,
  flat: measureFlat,
  flow: measureFlow,
  power: measurePower,
  steady: measureSteady,
  migrate: measureMigrate,
  observability: measureObservability,
  console: measureConsole,
  counters: measureCounters,
  against: measureAgainst,
};

// Each Ctrl-C ends it at once: what we started is taken along by its guards.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));

const asked = commandLine(readOptions, usage);
try {
  await main(asked);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}

async function main(options: BenchOptions): Promise<void> {
  const say = (line: string): void =>
    void (options.json ? process.stderr : process.stdout).write(`${line}\n`);
  const result = await modes[options.mode](options, say);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
