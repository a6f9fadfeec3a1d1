import { expect, test } from "@jest/globals";
import { type PowerResult, report } from "./report.ts";

const figures = { claimP50: 1, claimP99: 2, replyP50: 3, replyP99: 4 };
const result: PowerResult = {
  date: "2026-11-29",
  machine: "2 cores",
  postgres: "18.4",
  load: 0.1,
  rounds: 5,
  waits: {
    seconds: 60,
    stores: [
      { waits: 0, figures, statements: 300 },
      { waits: 1_000_000, figures: { ...figures, claimP99: 2.06 }, statements: 303 },
    ],
    ratios: { ...figures, claimP99: 1.03 },
    statementsRatio: 1.01,
  },
  timers: { timers: 100_000, seconds: 16.2, perSecond: 6_172.8 },
  signals: { signals: 20_000, p50: 6.04, p99: 12.34, perSecond: 2_500.4 },
  schedules: { schedules: 10_000, seconds: 3.14, taskSeconds: 9.26 },
};

const cellsOf = (line: string): readonly string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

test("the report has a row for each figure, with its goal", () => {
  const rows = report(result)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map(cellsOf);
  expect(rows.map(([key, goal, measured]) => [key, goal, measured])).toEqual([
    ["`claimWithWaits`", "1.05 at most", "1.030"],
    ["`idleWithWaits`", "1.05 at most", "1.010"],
    ["`timersPerSecond`", "5,000 at least", "6,173"],
    ["`signalP99`", "30 ms at most", "12.3 ms"],
    ["`signalsPerSecond`", "2,000 at least", "2,500"],
    ["`schedulesFired`", "5 s at most", "3.1 s"],
  ]);
});

test("the report shows the store without waits beside the one with them", () => {
  const rows = report(result)
    .split("\n")
    .filter((line) => /^\| [\d,]+ /.test(line))
    .map(cellsOf);
  expect(rows).toEqual([
    ["0", "1.00", "2.00", "3.00", "4.00", "300"],
    ["1,000,000", "1.00", "2.06", "3.00", "4.00", "303"],
  ]);
});
