import { expect, test } from "@jest/globals";
import type { StatisticsBucket } from "../../api/types.ts";
import { chartData, totalOf } from "./chart-data.ts";
import { ranges, readRange, writeRange } from "./ranges.ts";

const bucket = (at: string, counts: Partial<StatisticsBucket>): StatisticsBucket => ({
  at,
  submitted: 0,
  processed: 0,
  undone: 0,
  halted: 0,
  attempts: 0,
  failedAttempts: 0,
  undoneSteps: 0,
  latencyMs: null,
  ...counts,
});

const statistics = {
  bucketMs: 300_000,
  buckets: [
    bucket("2026-11-25T21:00:00.000Z", { submitted: 10, processed: 5 }),
    bucket("2026-11-25T21:05:00.000Z", { submitted: 20, halted: 1 }),
  ],
};

test("the chart has rates per minute, whatever the length of a bucket", () => {
  const start = Date.parse("2026-11-25T21:00:00Z") / 1_000;
  expect(chartData(statistics)).toEqual([
    [start, start + 300],
    [2, 4],
    [1, 0],
    [0, 0],
    [0, 0.2],
  ]);
  expect(totalOf(statistics, "submitted")).toBe(30);
});

test("each range has its URL, and the usual one is none", () => {
  for (const range of ranges) expect(readRange(writeRange(range))).toBe(range);
  expect(ranges.filter((range) => writeRange(range) === null)).toHaveLength(1);
  expect(readRange("constructor").name).toBe("1h");
});
