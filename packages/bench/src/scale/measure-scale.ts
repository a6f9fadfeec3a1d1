import { join } from "node:path";
import { holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { markdownTable } from "../markdown-table.ts";
import type { BenchOptions } from "../options.ts";
import { median, medianOfRatios } from "../statistics.ts";
import { measureSetup, type SetupFigures } from "./measure-setup.ts";
import { type Setup, setups } from "./setups.ts";

/** The figures of one round, by the name of the setup. */
type Round = Readonly<Record<string, SetupFigures>>;

export interface ScaleRow {
  readonly name: string;
  readonly ordersPerSecond: number;
  /** Beside one Scheduler and one process of Agents at the same distance. */
  readonly ratio: number;
  readonly statementsPerOrder: number;
  readonly statementsAtRest: number;
}

/** Measures one setup after the other, round by round: what more processes give, and what they cost. */
export async function measureScale(
  { rounds, orders, only }: BenchOptions,
  say: (line: string) => void,
): Promise<readonly ScaleRow[]> {
  const chosen = setups.filter(({ name }) => only?.includes(name) ?? true);
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
      const found = await measureSetup(setup, { stack, dataFolder, orders });
      figures[setup.name] = found;
      const cpu = Object.entries(found.cpu).map(([part, ms]) => `${part} ${ms.toFixed(2)}`);
      say(
        `round ${round}, ${setup.title}: ${found.ordersPerSecond.toFixed()} orders/s; CPU ms an order: ${cpu.join(", ")}`,
      );
    }
    measured.push(figures);
  }
  const rows = chosen.map((setup) => rowOf(setup, measured));
  say(tableOf(rows));
  return rows;
}

function rowOf({ name, distance }: Setup, rounds: readonly Round[]): ScaleRow {
  const one = setups.find((setup) => setup.distance === distance)?.name ?? "";
  const figure = (of: string, round: Round, key: keyof Omit<SetupFigures, "cpu">) =>
    round[of]?.[key] ?? Number.NaN;
  const middle = (key: keyof Omit<SetupFigures, "cpu">) =>
    median(rounds.map((round) => figure(name, round, key)));
  return {
    name,
    ordersPerSecond: Math.round(middle("ordersPerSecond")),
    ratio: medianOfRatios(rounds, (round) => [
      figure(name, round, "ordersPerSecond"),
      figure(one, round, "ordersPerSecond"),
    ]),
    statementsPerOrder: middle("statementsPerOrder"),
    statementsAtRest: middle("statementsAtRest"),
  };
}

const tableOf = (rows: readonly ScaleRow[]): string =>
  markdownTable(
    ["", "orders/s", "beside one", "statements an order", "at rest, a second and Scheduler"],
    rows.map((row) => [
      setups.find(({ name }) => name === row.name)?.title ?? row.name,
      row.ordersPerSecond.toFixed(),
      row.ratio.toFixed(2),
      row.statementsPerOrder.toFixed(2),
      row.statementsAtRest.toFixed(2),
    ]),
  );
