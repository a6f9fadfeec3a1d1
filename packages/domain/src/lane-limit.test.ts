import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type LaneLoad, laneLimit } from "./lane-limit.ts";

const of = (...slots: readonly number[]) => slots;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const one = { maxInFlight: 200, schedulers: 1, consumers: 1 };
const four = { maxInFlight: 200, schedulers: 4, consumers: 1 };

describe("one Scheduler has in flight", () => {
  test.each<[string, LaneLoad, number]>([
    ["twice the slots of an instance", { ...one, advertised: of(20) }, 40],
    ["twice the slots of all", { ...one, consumers: 3, advertised: of(5, 20, 60) }, 170],
    ["no more than its maxInFlight", { ...one, consumers: 3, advertised: of(5, 20, 80) }, 200],
    ["its maxInFlight without heartbeats", { ...one, advertised: of() }, 200],
    ["one step without consumers", { ...one, consumers: 0, advertised: of(20) }, 1],
    [
      "less once a consumer is gone, as if of the instance seen first",
      { ...one, advertised: of(5, 20) },
      10,
    ],
    ["more once a consumer is new", { ...one, consumers: 2, advertised: of(10) }, 40],
    ["two steps for an instance of one slot", { ...one, advertised: of(1) }, 2],
  ])("%s", (_, load, limit) => {
    const { all, own } = laneLimit(load);
    expect([all, own]).toEqual([limit, limit]);
  });
});

test("several Schedulers share the slots, and keep some for what their transactions make due", () => {
  const limit = laneLimit({ ...four, advertised: of(40) });
  expect(limit).toEqual({ all: 60, allDue: 80, own: 15, ownDue: 20, unearned: 0 });
});

test("an instance that advertises too much gets what is trusted, until steps are settled", () => {
  const liar = { ...one, maxInFlight: 10_000, advertised: of(2 ** 31 - 1) };
  expect(laneLimit(liar)).toMatchObject({ all: 10_000, own: 200, unearned: 9_800 });
  expect(laneLimit({ ...liar, earned: 50 })).toMatchObject({ own: 250, unearned: 9_750 });
  expect(laneLimit({ ...liar, earned: 20_000 })).toMatchObject({ own: 10_000, unearned: 0 });
});

test("instances that do not consume add nothing, however many are said to live", () => {
  const crowd = Array.from({ length: 1_000 }, () => 100);
  expect(laneLimit({ ...one, maxInFlight: 10_000, advertised: of(...crowd) }).own).toBe(200);
});

const anyLoad = fc.record({
  maxInFlight: fc.integer({ min: 1, max: 10_000 }),
  schedulers: fc.integer({ min: 1, max: 20 }),
  consumers: fc.integer({ min: 0, max: 50 }),
  advertised: fc.array(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 50 }),
  earned: fc.integer({ min: 0, max: 100_000 }),
});

test("the shares of all Schedulers never add up to more than the limit, and each has at least one step", () => {
  fc.assert(
    fc.property(anyLoad, (load) => {
      const { all, allDue, own, ownDue } = laneLimit(load);
      const { schedulers, maxInFlight } = load;
      expect(own).toBeGreaterThanOrEqual(1);
      expect(ownDue).toBeGreaterThanOrEqual(own);
      expect(allDue).toBeGreaterThanOrEqual(all);
      expect(all).toBeLessThanOrEqual(maxInFlight * schedulers);
      expect(own * schedulers).toBeLessThanOrEqual(Math.max(all, schedulers));
    }),
  );
});

test("no more than two steps for each slot are in flight, and at least as many as there are slots", () => {
  fc.assert(
    fc.property(anyLoad, (load) => {
      const { advertised, consumers, maxInFlight, schedulers } = load;
      fc.pre(advertised.length > 0 && consumers > 0);
      const there = advertised.slice(0, consumers);
      const slots = (sum(there) * consumers) / there.length;
      const { all, allDue } = laneLimit(load);
      expect(allDue).toBeLessThanOrEqual(2 * slots);
      expect(all).toBeGreaterThanOrEqual(Math.min(Math.floor(slots), maxInFlight * schedulers));
    }),
  );
});
