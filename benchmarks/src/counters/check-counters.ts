import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { markdownTable } from "@holdfast/load";
import type { BenchOptions } from "../options.ts";
import { type CounterRun, judgeCounters, lowestOf, toleranceOf } from "./judge-counters.ts";
import { countOrders } from "./measure-counters.ts";
import { readRises } from "./read-rises.ts";

/** The counters of the last release: what later ones are compared with. */
export const baselineFile = fileURLToPath(new URL("../../counters.json", import.meta.url));
/** Says what each rise bought. */
export const riseFile = fileURLToPath(
  new URL("../../../docs/evidence/optimisations.md", import.meta.url),
);

/**
 * How often a check counts at most. What disturbs a run adds to its counters, so the lowest figures
 * count.
 */
const longestCheck = 3;

/**
 * Counts what an order costs, and prints it. With `check` it throws if a counter rose by more than
 * it may without a line that accepts it; with `write` the figures become the baseline if they pass
 * the check.
 */
export async function measureCounters(
  { without, check, write }: BenchOptions,
  say: (line: string) => void,
): Promise<CounterRun> {
  const baseline = readBaseline();
  const count = () => countOrders(without, say);
  const found =
    baseline !== null && (check || write)
      ? await countUntilPassed(count, baseline, say)
      : await count();
  say(tableOf(found, baseline));
  if (write) writeFileSync(baselineFile, `${JSON.stringify(found, null, 2)}\n`);
  return found;
}

async function countUntilPassed(
  count: () => Promise<CounterRun>,
  baseline: CounterRun,
  say: (line: string) => void,
): Promise<CounterRun> {
  const page = readFileSync(riseFile, "utf8");
  let found = await count();
  for (let runs = 1; ; runs += 1, found = lowestOf(found, await count())) {
    const known = new Set(Object.keys({ ...baseline.counters, ...found.counters }));
    const { failures, near, skipped } = judgeCounters(found, baseline, readRises(page, known));
    for (const line of skipped) say(`not compared: ${line}`);
    for (const line of near) say(`close to its limit: ${line}`);
    if (failures.length === 0) {
      say(`counters: none rose by more than it may since ${baseline.date}`);
      return found;
    }
    const text = `${failures.length} counters rose:\n${failures.join("\n")}`;
    if (runs === longestCheck) throw new Error(text);
    say(`${text}\nCounting again …`);
  }
}

function readBaseline(): CounterRun | null {
  try {
    return JSON.parse(readFileSync(baselineFile, "utf8")) as CounterRun;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

const tableOf = ({ counters }: CounterRun, baseline: CounterRun | null): string =>
  markdownTable(
    ["for one order", "now", "baseline", "may rise by"],
    Object.entries(counters).map(([name, value]) => [
      name,
      String(value),
      String(baseline?.counters[name] ?? ""),
      `${toleranceOf(name) * 100} %`,
    ]),
  );
