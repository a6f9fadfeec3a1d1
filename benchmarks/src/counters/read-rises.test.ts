import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { baselineFile, riseFile } from "./check-counters.ts";
import type { CounterRun } from "./judge-counters.ts";
import { readRises } from "./read-rises.ts";

const known = new Set(["lone.store.rows"]);
const page = (...rows: readonly string[]): string =>
  [
    "# Optimisations",
    "",
    "## Counters that rose, and what it bought",
    "",
    "| counter | from | to | what it bought |",
    "| ------- | ---- | -- | -------------- |",
    ...rows,
    "",
    "## Another part",
    "",
    "| not | a | rise | at all |",
  ].join("\n");

describe("the accepted rises", () => {
  test("are the rows of one table of the page", () => {
    const row = "| lone.store.rows | 31.23 | 32.3 | an event for each claim |";
    expect(readRises(page(row), known)).toEqual([
      { counter: "lone.store.rows", from: 31.23, to: 32.3 },
    ]);
    expect(readRises(page(), known)).toEqual([]);
  });

  test.each([
    ["| lone.store.row | 31 | 33 | an event for each claim |", "names no counter"],
    ["| lone.store.rows | 31 | 30 | an event for each claim |", "must rise"],
    ["| lone.store.rows | 31 | about 33 | an event for each claim |", "must rise"],
    ["| lone.store.rows |  | 33 | an event for each claim |", "must rise"],
    ["| lone.store.rows | 31 | 33 |  |", "must say what it bought"],
    ["| lone.store.rows | 31 | 33 |", "must have four cells"],
  ])("refuse the line %s", (row, why) => {
    expect(() => readRises(page(row), known)).toThrow(why);
  });

  test("refuse a page without the heading or with other columns", () => {
    expect(() => readRises("# Optimisations", known)).toThrow("has no heading");
    expect(() => readRises(page().replace("| from |", "| before |"), known)).toThrow("columns");
  });

  test("of the page in docs can all be read", () => {
    const { counters } = JSON.parse(readFileSync(baselineFile, "utf8")) as CounterRun;
    const rises = () => readRises(readFileSync(riseFile, "utf8"), new Set(Object.keys(counters)));
    expect(rises).not.toThrow();
  });
});
