import { expect, test } from "@jest/globals";
import { bundleSizeEstimator } from "./bundle-size-estimator.ts";

/** Calls that take so many milliseconds each. */
function calling(concurrency: number) {
  let now = 0;
  const calls = bundleSizeEstimator({ concurrency, clock: { now: () => now } });
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

test("the bundle size is 1 before the first call has been measured", () => {
  expect(calling(100).bundleSize()).toBe(1);
});

test.each([
  ["calls of an eighth of a millisecond", { concurrency: 2, ms: 0.125, bundleSize: 16 }],
  ["many calls of ten milliseconds at a time", { concurrency: 100, ms: 10, bundleSize: 10 }],
  ["few calls of fifty milliseconds at a time", { concurrency: 20, ms: 50, bundleSize: 1 }],
  ["calls that take no time", { concurrency: 100, ms: 0, bundleSize: 100 }],
])("with %s, a bundle holds the work of one millisecond", (_, { concurrency, ms, bundleSize }) => {
  const calls = calling(concurrency);
  calls.call(ms, 10);
  expect(calls.bundleSize()).toBe(bundleSize);
});

test("a pause that delays many calls at once does not shrink the bundle", () => {
  let now = 0;
  const calls = bundleSizeEstimator({ concurrency: 20, clock: { now: () => now } });
  const together = (ms: number): void => {
    const done = Array.from({ length: 20 }, () => calls.begin());
    now += ms;
    for (const end of done) end();
  };
  together(0.05);
  together(0.05);
  together(30);
  expect(calls.bundleSize()).toBe(100);
  for (const ms of [30, 30, 30, 30]) together(ms);
  expect(calls.bundleSize()).toBe(1);
});

test("the bundle shrinks soon after a service becomes slow, and grows only after it has stayed fast", () => {
  const calls = calling(100);
  calls.call(2, 10);
  expect(calls.bundleSize()).toBe(50);
  calls.call(200, 3);
  expect(calls.bundleSize()).toBe(1);
  calls.call(2, 3);
  expect(calls.bundleSize()).toBe(1);
  calls.call(2, 500);
  expect(calls.bundleSize()).toBeGreaterThan(40);
});
