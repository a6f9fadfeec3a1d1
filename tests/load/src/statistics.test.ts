import { describe, expect, test } from "@jest/globals";
import { median, medianOfRatios, percentile, rounded, spreadOf } from "./statistics.ts";

describe("a median", () => {
  test("of an odd number of values is the middle one, in whatever order they come", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  test("of an even number of values is between the two in the middle", () => {
    expect(median([4, 1, 100, 2])).toBe(3);
  });

  test("of nothing is no number", () => {
    expect(median([])).toBeNaN();
  });
});

describe("a percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  test("is the smallest value that at least its share of the values does not exceed", () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
  });

  test("of a single value is that value", () => {
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([7], 0.99)).toBe(7);
  });
});

test("a spread tells the smallest, the middle and the largest", () => {
  expect(spreadOf([3, 1, 20])).toEqual({ min: 1, median: 3, max: 20 });
});

const pairOf = ({ ours, theirs }: { readonly ours: number; readonly theirs: number }) =>
  [ours, theirs] as const;

describe("the median of ratios", () => {
  test("is not affected by a round in which the machine was slow for both", () => {
    const rounds = [
      { ours: 200, theirs: 100 },
      { ours: 20, theirs: 10 },
      { ours: 220, theirs: 110 },
    ];
    expect(medianOfRatios(rounds, pairOf)).toBe(2);
  });

  test("is not the ratio of the medians", () => {
    const rounds = [
      { ours: 100, theirs: 10 },
      { ours: 200, theirs: 400 },
      { ours: 300, theirs: 100 },
    ];
    expect(medianOfRatios(rounds, pairOf)).toBe(3);
  });
});

test("rounding returns a number", () => {
  expect(rounded(1.2345, 2)).toBe(1.23);
  expect(rounded(1.999, 0)).toBe(2);
});
