import { expect, test } from "@jest/globals";
import { assert, integer, property, tuple, uniqueArray } from "fast-check";
import { widthOf } from "./count-events.ts";
import { idGaps } from "./id-gaps.ts";
import { keptFor, mostBuckets, planBuckets, spansOf } from "./time-buckets.ts";

const now = Date.parse("2026-11-24T10:17:23.456Z");
const range = tuple(
  integer({ min: 1, max: now }),
  integer({ min: 1, max: 20 * 366 * widthOf.day }),
).map(([until, length]) => ({ from: Math.max(0, until - length), until }));

test("at most 400 buckets cover any range, on counts that are still kept", () => {
  assert(
    property(range, (asked) => {
      const { from, until, bucketMs, resolution } = planBuckets(asked, now);
      expect((until - from) / bucketMs).toBeLessThanOrEqual(mostBuckets);
      expect(bucketMs % widthOf[resolution]).toBe(0);
      expect(from % bucketMs).toBe(0);
      expect(until).toBeGreaterThanOrEqual(asked.until);
      if (resolution !== "day") expect(from).toBeGreaterThanOrEqual(now - keptFor[resolution]);
      if (asked.until - asked.from < 300 * 7 * widthOf.day)
        expect(from).toBeLessThanOrEqual(asked.from);
    }),
  );
});

test.each([
  ["an hour", widthOf.hour, widthOf.minute],
  ["a day", widthOf.day, 5 * widthOf.minute],
  ["a week", 7 * widthOf.day, widthOf.hour],
  ["a year", 365 * widthOf.day, widthOf.day],
])("%s has buckets of its own width", (_, length, bucketMs) => {
  expect(planBuckets({ from: now - length, until: now }, now).bucketMs).toBe(bucketMs);
});

test("the spans of a range cover it once, by few counts", () => {
  assert(
    property(range, ({ from: low, until: high }) => {
      const from = Math.floor(low / widthOf.minute) * widthOf.minute;
      const until = Math.ceil(high / widthOf.minute) * widthOf.minute;
      const spans = spansOf({ from, until }, "minute");
      let at = from;
      for (const span of spans) {
        expect(span.from).toBe(at);
        expect(span.from % widthOf[span.resolution]).toBe(0);
        expect(span.until % widthOf[span.resolution]).toBe(0);
        at = span.until;
      }
      expect(at).toBe(until);
      const fine = spans.filter(({ resolution }) => resolution !== "day");
      const counts = fine.map((span) => (span.until - span.from) / widthOf[span.resolution]);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * (60 + 24));
    }),
  );
});

test("what is left of spans of ids is exactly what was not seen", () => {
  const ids = uniqueArray(integer({ min: 1, max: 60 }));
  assert(
    property(ids, ids, (asked, seen) => {
      const spans = asked.map((one) => ({ from: one, to: one }));
      const left = idGaps([...spans, { from: 70, to: 75 }], [...seen, 72, 99]);
      const found = left.flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, place) => from + place),
      );
      const expected = [...asked.filter((one) => !seen.includes(one)), 70, 71, 73, 74, 75];
      expect(found).toEqual(expected.toSorted((one, other) => one - other));
    }),
  );
});
