import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { bulkAllowance, firstPacedFrom, nextItemIn, pacedAfter } from "./bulk-pace.ts";

test("the first item may be applied at once, and the next after its share of a second", () => {
  const pace = { rate: 4, pacedFrom: firstPacedFrom(4, 1_000), now: 1_000 };
  expect([bulkAllowance(pace), nextItemIn(pace)]).toEqual([1, 0]);
  const after = { ...pace, pacedFrom: pacedAfter(pace, 1) };
  expect([bulkAllowance(after), nextItemIn(after)]).toEqual([0, 250]);
  expect(bulkAllowance({ ...after, now: 1_250 })).toBe(1);
});

test("what was not applied during an outage is no reason for a burst", () => {
  const pace = { rate: 10, pacedFrom: 0, now: 86_400_000 };
  expect(bulkAllowance(pace)).toBe(10);
  expect(bulkAllowance({ ...pace, pacedFrom: pacedAfter(pace, 10) })).toBe(0);
  expect(bulkAllowance({ rate: 0.01, pacedFrom: 0, now: 86_400_000 })).toBe(1);
});

test("a clock that was set back delays the next item by no more than its share of a second, and makes no burst", () => {
  const pace = { rate: 4, pacedFrom: 86_400_000, now: 1_000 };
  expect([bulkAllowance(pace), nextItemIn(pace)]).toEqual([1, 0]);
  const after = { ...pace, pacedFrom: pacedAfter(pace, 1) };
  expect([bulkAllowance(after), nextItemIn(after)]).toEqual([0, 250]);
  // By less than an item takes: that is no more than a moment.
  const little = { ...pace, pacedFrom: 1_100 };
  expect([bulkAllowance(little), nextItemIn(little)]).toEqual([0, 350]);
});

test("whenever and however often items are applied, no more are than the rate allows and one second of it", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      fc.array(fc.nat({ max: 5_000 }), { maxLength: 50 }),
      (rate, rests) => {
        let now = 1_000_000;
        let pacedFrom = firstPacedFrom(rate, now);
        let applied = 0;
        for (const rest of rests) {
          now += rest;
          const pace = { rate, pacedFrom, now };
          const some = bulkAllowance(pace);
          applied += some;
          pacedFrom = pacedAfter(pace, some);
        }
        const seconds = (now - 1_000_000) / 1_000;
        expect(applied).toBeLessThanOrEqual(rate * (seconds + Math.max(1, 1 / rate)) + 1);
      },
    ),
  );
});
