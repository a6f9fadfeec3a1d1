import { join } from "node:path";
import { markdownTable } from "@holdfast/load";
import { holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { whyNotLimited } from "./limit-cpu.ts";
import { measureSetup, type SetupFigures } from "./measure-setup.ts";
import { type Round, rowsOf, type ScaleRow } from "./rows.ts";
import { type Setup, setups } from "./setups.ts";

/**
 * Measures one setup after the other, round by round: what more processes give, and what they cost.
 */
export async function measureScale(
  { rounds, orders, only, without }: BenchOptions,
  say: (line: string) => void,
): Promise<readonly ScaleRow[]> {
  const wanted = setups.filter(({ name }) => only?.includes(name) ?? true);
  const chosen = await withoutImpossible(wanted, say);
  const dataFolder = join(holdfastFolder(), "bench-scale");
  await using stack = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh: true,
    log: say,
  });
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const figures: Record<string, SetupFigures> = {};
    for (const setup of chosen) {
      const found = await measureSetup(setup, { stack, dataFolder, orders, without });
      figures[setup.name] = found;
      say(`round ${round}, ${setup.title}: ${lineOf(found)}`);
    }
    measured.push(figures);
  }
  const rows = rowsOf(chosen, measured);
  say(tableOf(rows));
  return rows;
}

/** Leaves out, where limiting processes is not allowed, what cannot be measured without that. */
async function withoutImpossible(
  wanted: readonly Setup[],
  say: (line: string) => void,
): Promise<readonly Setup[]> {
  const share = wanted.find((setup) => setup.share !== null)?.share ?? null;
  const why = share === null ? null : await whyNotLimited(share);
  if (why === null) return wanted;
  say(`left out, for Schedulers cannot be held to a share of a core here: ${why}`);
  return wanted.filter((setup) => setup.share === null);
}

function lineOf({ ordersPerSecond, cpu }: SetupFigures): string {
  const parts = Object.entries(cpu).map(([part, ms]) => `${part} ${ms.toFixed(2)}`);
  return `${ordersPerSecond.toFixed()} orders/s; CPU ms an order: ${parts.join(", ")}`;
}

const tableOf = (rows: readonly ScaleRow[]): string =>
  markdownTable(
    ["", "orders/s", "beside one", "statements an order", "at rest, a second and Scheduler"],
    rows.map(({ title, ordersPerSecond, ratio, statementsPerOrder, statementsAtRest }) => [
      title,
      ordersPerSecond.toFixed(),
      ratio.toFixed(2),
      statementsPerOrder.toFixed(2),
      statementsAtRest.toFixed(2),
    ]),
  );
