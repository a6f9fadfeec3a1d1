import { expect, test } from "@jest/globals";
import { type RoundFigures, report, rowsOf } from "./report.ts";

const figures = (ordersPerSecond: number, cpuMs: number) => ({
  ordersPerSecond,
  cpuMs,
  spanBytes: 10,
});
/** Rounds on a machine that is twice as fast in the second. */
const rounds: readonly RoundFigures[] = [1, 2].map((speed) => ({
  none: figures(1_000 * speed, 0.9),
  metrics: figures(1_000 * speed, 1),
  tenth: figures(950 * speed, 1.1),
  traces: figures(800 * speed, 1.5),
}));

test("setups are compared within a round, so that a machine that changes does not count", () => {
  const traces = rowsOf(rounds).find(({ title }) => title.includes("all traces"));
  expect(traces).toMatchObject({ rate: 0.8, cpu: 1.5, rateSpread: [0.8, 0.8] });
});

test("the page has the setting, and a line for each setup", () => {
  const setting = { date: "2026-11-26", machine: "2 cores", postgres: "18.4", load: 0.1 };
  const page = report({ ...setting, rounds: 2, orders: 10, rows: rowsOf(rounds) });
  expect(page).toContain("2 rounds. In each, every setup processes 10 orders");
  expect(page.match(/^\| (neither|metrics)/gm)).toHaveLength(4);
  expect(page).toContain("0.800 (0.800 to 0.800)");
});
