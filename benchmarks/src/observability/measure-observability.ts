import { mkdir, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { settingOf } from "../setting.ts";
import { measureObserved, type ObservedFigures } from "./measure-observed.ts";
import { type ObservabilityResult, type RoundFigures, report, rowsOf } from "./report.ts";
import { inOrder } from "./setups.ts";

/**
 * Measures what metrics and traces cost, on servers of its own: the setups in turn, round by round.
 */
export async function measureObservability(
  { rounds, orders, folder, without }: BenchOptions,
  say: (line: string) => void,
): Promise<ObservabilityResult> {
  const dataFolder = join(holdfastFolder(), "bench-observability");
  const load = loadavg()[0] ?? 0;
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh: true,
    log: say,
  });
  const measured: RoundFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const figures: Record<string, ObservedFigures> = {};
    for (const setup of inOrder(round)) {
      const found = await measureObserved(setup, { stack, dataFolder, orders, without });
      figures[setup.name] = found;
      say(
        `round ${round + 1}, ${setup.title}: ${found.ordersPerSecond.toFixed()} orders/s, ${found.cpuMs.toFixed(2)} ms of CPU an order, ${found.spanBytes.toFixed()} bytes of spans an order`,
      );
    }
    measured.push(figures as RoundFigures);
  }
  const result = {
    ...(await settingOf(stack.postgres.url)),
    load: Math.round(load * 10) / 10,
    rounds,
    orders,
    rows: rowsOf(measured),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "observability.md"), report(result));
  say(report(result));
  return result;
}
