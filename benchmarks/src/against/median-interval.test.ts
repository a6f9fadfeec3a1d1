import { seededRandom } from "@holdfast/runtime";
import { describe, expect, test } from "@jest/globals";
import { medianInterval } from "./median-interval.ts";

const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

describe("the interval of the median", () => {
  // The ranks that tables of the sign test give for 95 %.
  test.each([
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [10, 2, 9],
    [20, 6, 15],
    [40, 14, 27],
    [50, 18, 33],
    [100, 40, 61],
  ])("of %i values lies between those of the ranks %i and %i", (n, low, high) => {
    expect(medianInterval(upTo(n))).toEqual({ median: (n + 1) / 2, low, high });
  });

  test("does not depend on the order of the values, nor on how far away the outer ones are", () => {
    const values = upTo(20).map((value) => (value > 16 ? value * 1_000 : value));
    expect(medianInterval(values.toReversed())).toEqual({ median: 10.5, low: 6, high: 15 });
  });

  test("needs six values", () => {
    expect(() => medianInterval(upTo(5))).toThrow("needs 6 values");
  });

  test("holds the true median in at least 95 of 100 samples of a skewed distribution", () => {
    const random = seededRandom(7);
    // Its median is 1.
    const value = () => Math.exp((random() - 0.5) ** 3 * 20);
    const samples = Array.from({ length: 2_000 }, () => Array.from({ length: 40 }, value));
    const holding = samples.map(medianInterval).filter(({ low, high }) => low <= 1 && 1 <= high);
    expect(holding.length).toBeGreaterThanOrEqual(1_900);
    expect(holding.length).toBeLessThan(2_000);
  });
});
