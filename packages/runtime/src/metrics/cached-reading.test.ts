import { expect, test } from "@jest/globals";
import type { Clock } from "../time/clock.ts";
import { cachedReading } from "./cached-reading.ts";

/** A reader whose answers the test gives, on a clock of the test. */
function reader({ timeout = 10 } = {}) {
  let now = 0;
  let reads = 0;
  let answer: (value: number) => void = () => {};
  let fail: () => void = () => {};
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => now,
    after: (_, act) => {
      timers.add(act);
      return () => timers.delete(act);
    },
  };
  const cached = cachedReading({
    read: () => {
      reads += 1;
      return new Promise<number>((resolve, reject) => {
        answer = resolve;
        fail = () => reject(new Error("away"));
      });
    },
    freshFor: () => 5_000,
    lasts: 90_000,
    timeout,
    clock,
  });
  return {
    cached,
    reads: () => reads,
    pass: (ms: number) => (now += ms),
    answer: (value: number) => answer(value),
    fail: () => fail(),
    endWaits: () => timers.forEach((act) => act()),
  };
}

test("20 scrapes at once, and all within five seconds, read the store once", async () => {
  const { cached, reads, answer, pass } = reader();
  const scrapes = Array.from({ length: 20 }, () => cached.refresh());
  answer(7);
  await Promise.all(scrapes);
  pass(4_999);
  await cached.refresh();
  expect(cached.current()).toBe(7);
  expect(reads()).toBe(1);
  pass(1);
  const next = cached.refresh();
  answer(8);
  await next;
  expect([cached.current(), reads()]).toEqual([8, 2]);
});

test("a reading that took three seconds is not repeated for 57 seconds", async () => {
  const { cached, reads, answer, pass } = reader();
  const slow = cached.refresh();
  pass(3_000);
  answer(1);
  await slow;
  pass(56_999);
  await cached.refresh();
  expect(reads()).toBe(1);
  pass(1);
  void cached.refresh();
  expect(reads()).toBe(2);
});

test("a store that does not answer holds up no scrape, and gets no second query meanwhile", async () => {
  const { cached, reads, pass, endWaits } = reader();
  const waiting = cached.refresh();
  endWaits();
  await waiting;
  pass(60_000);
  const again = cached.refresh();
  endWaits();
  await again;
  expect([cached.current(), reads()]).toEqual([null, 1]);
});

test("a value that could not be read again is not given any more", async () => {
  const { cached, answer, fail, pass } = reader();
  const first = cached.refresh();
  answer(1);
  await first;
  pass(5_000);
  const second = cached.refresh();
  fail();
  await second;
  expect(cached.current()).toBeNull();
});

test("a value is not given any more when its replacement hangs for too long", async () => {
  const { cached, answer, pass, endWaits } = reader();
  const first = cached.refresh();
  answer(1);
  await first;
  pass(5_000);
  const second = cached.refresh();
  endWaits();
  await second;
  expect(cached.current()).toBe(1);
  pass(85_001);
  expect(cached.current()).toBeNull();
});
