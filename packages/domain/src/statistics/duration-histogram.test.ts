import { expect, test } from "@jest/globals";
import { array, assert, double, property } from "fast-check";
import {
  addDuration,
  addHistograms,
  durationBucket,
  durationBuckets,
  quantileOf,
} from "./duration-histogram.ts";

const durations = array(double({ min: 1, max: 5e9, noNaN: true }), { minLength: 1 });
const histogramOf = (all: readonly number[]) => all.reduce<number[]>(addDuration, []);

test("a quantile is within ten percent of the exact one", () => {
  assert(
    property(durations, double({ min: 0.01, max: 1, noNaN: true }), (all, part) => {
      const sorted = all.toSorted((one, other) => one - other);
      const exact = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!;
      const found = quantileOf(histogramOf(all), part)!;
      // Whole milliseconds.
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.1 + 0.5);
    }),
  );
});

test("the sum of two histograms is the histogram of all durations", () => {
  assert(
    property(durations, durations, (some, others) => {
      const together = histogramOf([...some, ...others]);
      expect(addHistograms(histogramOf(some), histogramOf(others))).toEqual(together);
    }),
  );
});

test.each([
  [0, 0],
  [1, 0],
  [1.1, 1],
  [2, 4],
  [1_024, 40],
  [1_025, 41],
  [1e300, durationBuckets - 1],
  [Number.POSITIVE_INFINITY, durationBuckets - 1],
  [-5, 0],
  [Number.NaN, 0],
])("a duration of %d ms belongs to bucket %d", (ms, bucket) => {
  expect(durationBucket(ms)).toBe(bucket);
});

test("no durations have no quantile", () => {
  expect(quantileOf([], 0.5)).toBeNull();
  expect(quantileOf([0, 0], 0.5)).toBeNull();
});
