import { availableParallelism } from "node:os";
import { expect, test } from "@jest/globals";
import { readOptions } from "./options.ts";

test("the simulation runs ten thousand schedules by default", () => {
  const threads = availableParallelism();
  const usual = {
    schedules: 10_000,
    from: 1,
    seed: null,
    mutants: false,
    tenth: null,
    threads,
    json: false,
  };
  expect(readOptions([])).toEqual(usual);
  expect(readOptions(["--schedules", "5", "--from", "7", "--mutants", "--threads", "1"])).toEqual({
    ...usual,
    threads: 1,
    schedules: 5,
    from: 7,
    mutants: true,
    tenth: null,
  });
  expect(readOptions(["--seed", "3", "--json"])).toEqual({ ...usual, seed: 3, json: true });
});

test.each([
  [["--schedules", "many"], "--schedules must be a whole number above 0, and not many"],
  [["--seed", "-1.5"], "argument"],
  [["--from=0"], "--from must be a whole number above 0, and not 0"],
  [["--story"], "--story"],
])("%j is refused with a reason", (args, reason) => {
  expect(() => readOptions(args)).toThrow(reason);
});
