import { describe, expect, test } from "@jest/globals";
import { summaryOf } from "./comparison.ts";
import { sample } from "./testing.ts";

describe("a comparison", () => {
  const [ours, theirs] = sample.contenders;

  test("states the spread of the rounds", () => {
    expect(ours?.figures.backlog).toEqual({ min: 100, median: 1_000, max: 2_000 });
  });

  test("is above 1 where Holdfast processes more, and where it takes less time", () => {
    expect(theirs?.ratios).toEqual({ backlog: 2, inFlight: 2, loneP50: 2, loneP99: 2 });
  });

  test("does not compare Holdfast with itself", () => {
    expect(ours?.ratios).toBeNull();
  });

  test("states the median CPU use of each part", () => {
    expect(theirs?.cpu).toEqual({ load: 0.2, postgres: 0.6 });
  });

  test("is summed up as JSON: our medians, and the ratios by peer", () => {
    expect(summaryOf(sample)).toEqual({
      ordersPerSecond: 1_000,
      inFlightPerSecond: 800,
      loneP50Ms: 20,
      loneP99Ms: 32,
      vsDbos: 2,
      inFlightVsDbos: 2,
      loneP50VsDbos: 2,
      loneP99VsDbos: 2,
    });
  });
});
