import { TransientFault } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { causeOf, countFailure, failureLog, noFailures } from "./failure-log.ts";

/**
 * The numbers of the failures, of so many that come one each `every` milliseconds, at which the log
 * gets a line.
 */
function linesOf(failures: number, every: number, causeIn: (n: number) => string): number[] {
  let run = noFailures;
  const lines: number[] = [];
  for (let n = 1; n <= failures; n += 1) {
    const counted = countFailure(run, causeIn(n), n * every);
    run = counted.run;
    if (counted.isDue) lines.push(n);
  }
  return lines;
}

test("the first, second, fourth, eighth … failure of the same cause is logged", () => {
  expect(linesOf(40, 1_000, () => "store.unavailable")).toEqual([1, 2, 4, 8, 16, 32]);
});

test("a failure is logged if the log had none for a minute", () => {
  expect(linesOf(6, 60_000, () => "store.unavailable")).toEqual([1, 2, 3, 4, 5, 6]);
});

test("failures by turns of several causes are no reason to log more of each", () => {
  expect(linesOf(40, 100, (n) => (n % 2 === 0 ? "a" : "b")).length).toBe(10);
});

test("however many causes there are, the lines of a minute are bounded", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), (failures) => {
      const lines = linesOf(failures, 60_000 / failures, (n) => `cause ${n}`);
      expect(lines.length).toBeLessThanOrEqual(21 + Math.log2(failures + 1) + 1);
    }),
  );
});

test("a success ends the run, and says how long it was", () => {
  let now = 0;
  const log = failureLog({ now: () => now });
  expect(log.succeeded()).toBeNull();
  expect(["a", "a", "a", "a"].map((cause) => log.failed(cause))).toEqual([1, 2, null, 4]);
  now = 5_000;
  expect(log.succeeded()).toEqual({ failures: 4, after: 5_000 });
  expect(log.failed("a")).toBe(1);
  expect(log.succeeded()).toBeNull();
});

test.each([
  [new TransientFault("store.unavailable", "away"), "store.unavailable"],
  [Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  [new TypeError("x is no function"), "TypeError: x is no function"],
  ["no error", "undefined: no error"],
  [undefined, "undefined: undefined"],
  [null, "undefined: null"],
])("whatever is thrown has a cause (%p)", (thrown, cause) => {
  expect(causeOf(thrown)).toBe(cause);
});
