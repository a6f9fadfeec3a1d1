import { expect, test } from "@jest/globals";
import { judge } from "./judge.ts";
import { report, type SteadyResult } from "./report.ts";
import type { Sample } from "./sample.ts";
import { samplesOf } from "./testing.ts";

const resultOf = (samples: readonly Sample[]): SteadyResult => ({
  date: "2026-11-21",
  machine: "2 cores",
  postgres: "18.4",
  loadBefore: 0.1,
  highest: 1_000,
  rate: 600,
  minutes: 30,
  past: 1_080_000,
  deleted: 1_000_000,
  refused: 0,
  samples,
  ...judge(samples),
});

const cellsOf = (line: string): readonly string[] => line.split("|").map((cell) => cell.trim());

const rowsOf = (page: string, first: string): readonly (readonly string[])[] =>
  page
    .split("\n")
    .map(cellsOf)
    .filter((cells) => cells[1] === first);

test("the report names what grows, and says so if nothing grows", () => {
  expect(report(resultOf(samplesOf(9)))).toContain("Nothing that should level off grew.");
  const slower = samplesOf(9, (sample) => ({
    ...sample,
    store: { ...sample.store, p99: sample.minute * 10 },
  }));
  const page = report(resultOf(slower));
  expect(page).toContain("These grew: order, p99.");
  expect(rowsOf(page, "order, p99")[0]?.slice(2, 7)).toEqual([
    "50 ms",
    "80 ms",
    "600 ms",
    "1.60",
    "yes",
  ]);
});

test("the report shows ten of many samples, including the last, each with the changes since the one before", () => {
  const page = report(resultOf(samplesOf(60)));
  const minutes = page.match(/^\| \d+\.0 /gm) ?? [];
  expect(minutes).toHaveLength(20);
  const [work, memory] = rowsOf(page, "60.0");
  expect(work?.slice(2, 7)).toEqual(["0", "20", "60", "3", "0"]);
  expect(memory?.slice(2, 3)).toEqual(["100.0"]);
});

test("the report sums up how many bytes an order leaves", () => {
  const [row] = rowsOf(report(resultOf(samplesOf(9))), "all of these");
  expect(row?.slice(2, 5)).toEqual(["1000", "1000", "1.00"]);
});
