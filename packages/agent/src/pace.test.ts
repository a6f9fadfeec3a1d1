import { expect, test } from "@jest/globals";
import { pace } from "./pace.ts";

/** Calls that take so many milliseconds each. */
function calling(concurrency: number) {
  let now = 0;
  const calls = pace({ concurrency, clock: { now: () => now } });
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

test("before anything is known, each request comes by itself", () => {
  expect(calling(100).inOneMessage()).toBe(1);
});

test.each([
  ["calls of an eighth of a millisecond", { concurrency: 2, ms: 0.125, takes: 16 }],
  ["many calls of ten milliseconds at a time", { concurrency: 100, ms: 10, takes: 10 }],
  ["few calls of fifty milliseconds at a time", { concurrency: 20, ms: 50, takes: 1 }],
  ["calls that take no time", { concurrency: 100, ms: 0, takes: 100 }],
])("with %s, a message holds the work of a millisecond", (_, { concurrency, ms, takes }) => {
  const calls = calling(concurrency);
  calls.call(ms, 10);
  expect(calls.inOneMessage()).toBe(takes);
});

test("a pause that falls on many calls at a time makes no small messages", () => {
  let now = 0;
  const calls = pace({ concurrency: 20, clock: { now: () => now } });
  const together = (ms: number): void => {
    const done = Array.from({ length: 20 }, () => calls.begin());
    now += ms;
    for (const end of done) end();
  };
  together(0.05);
  together(0.05);
  together(30);
  expect(calls.inOneMessage()).toBe(100);
  for (const ms of [30, 30, 30, 30]) together(ms);
  expect(calls.inOneMessage()).toBe(1);
});

test("a service that becomes slow is noticed soon, one that becomes quick has to stay so", () => {
  const calls = calling(100);
  calls.call(2, 10);
  expect(calls.inOneMessage()).toBe(50);
  calls.call(200, 3);
  expect(calls.inOneMessage()).toBe(1);
  calls.call(2, 3);
  expect(calls.inOneMessage()).toBe(1);
  calls.call(2, 500);
  expect(calls.inOneMessage()).toBeGreaterThan(40);
});
