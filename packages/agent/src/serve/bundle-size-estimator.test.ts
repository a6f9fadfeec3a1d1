import { expect, test } from "@jest/globals";
import { batchSizeEstimator } from "./batch-size-estimator.ts";

/** Calls that take so many milliseconds each. */
function calling(concurrency: number) {
  let now = 0;
  const calls = batchSizeEstimator({ concurrency, clock: { now: () => now } });
  return {
    ...calls,
    call(ms: number, times = 1): void {
      for (let made = 0; made < times; made += 1) {
        const done = calls.begin();
        now += ms;
        done();
      }
    },
  };
}

test("the batch size is 1 before the first call has been measured", () => {
  expect(calling(100).maxBatch()).toBe(1);
});

test.each([
  ["calls of an eighth of a millisecond", { concurrency: 2, ms: 0.125, maxBatch: 16 }],
  ["many calls of ten milliseconds at a time", { concurrency: 100, ms: 10, maxBatch: 10 }],
  ["few calls of fifty milliseconds at a time", { concurrency: 20, ms: 50, maxBatch: 1 }],
  ["calls that take no time", { concurrency: 100, ms: 0, maxBatch: 100 }],
])("with %s, a batch holds the work of one millisecond", (_, { concurrency, ms, maxBatch }) => {
  const calls = calling(concurrency);
  calls.call(ms, 10);
  expect(calls.maxBatch()).toBe(maxBatch);
});

test("a pause that delays many calls at once does not shrink the batch", () => {
  let now = 0;
  const calls = batchSizeEstimator({ concurrency: 20, clock: { now: () => now } });
  const together = (ms: number): void => {
    const done = Array.from({ length: 20 }, () => calls.begin());
    now += ms;
    for (const end of done) end();
  };
  together(0.05);
  together(0.05);
  together(30);
  expect(calls.maxBatch()).toBe(100);
  for (const ms of [30, 30, 30, 30]) together(ms);
  expect(calls.maxBatch()).toBe(1);
});

test("the batch shrinks soon after a service becomes slow, and grows only after it has stayed fast", () => {
  const calls = calling(100);
  calls.call(2, 10);
  expect(calls.maxBatch()).toBe(50);
  calls.call(200, 3);
  expect(calls.maxBatch()).toBe(1);
  calls.call(2, 3);
  expect(calls.maxBatch()).toBe(1);
  calls.call(2, 500);
  expect(calls.maxBatch()).toBeGreaterThan(40);
});
