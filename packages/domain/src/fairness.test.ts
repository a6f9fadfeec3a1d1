import { describe, expect, test } from "@jest/globals";
import {
  closeFairnessGaps,
  type Fairness,
  isFairnessKey,
  isFairnessWeight,
  rankFairSteps,
  strideOf,
  virtualTime,
} from "./fairness.ts";

const many = (count: number, key: string, weight = 1): readonly Fairness[] =>
  Array.from({ length: count }, () => ({ key, weight }));
const nothing = new Map<string, never>();
const none = { head: null, last: nothing, clocks: nothing };

describe("the ranks of steps with a fairness key", () => {
  test("are closer the more weight the key has", () => {
    const { ranks } = rankFairSteps(none, [...many(2, "light"), ...many(2, "heavy", 4)]);
    expect(ranks).toEqual([virtualTime, virtualTime + 1_000, virtualTime, virtualTime + 250]);
  });

  test("begin at the head of the queue for a new key", () => {
    const { clocks } = rankFairSteps(none, many(100, "old"));
    const queue = { head: virtualTime + 30_000, last: nothing, clocks };
    expect(rankFairSteps(queue, many(1, "new")).ranks).toEqual([queue.head]);
  });

  test("go on from the last step of a key that has some in the queue", () => {
    const { clocks } = rankFairSteps(none, many(100, "old"));
    const last = new Map([["old", virtualTime + 99_000]]);
    const queue = { head: virtualTime + 30_000, last, clocks };
    expect(rankFairSteps(queue, many(1, "old")).ranks).toEqual([virtualTime + 100_000]);
  });

  test("go on one stride after the head of the queue, just before others, if all steps of the key were removed", () => {
    const { clocks } = rankFairSteps(none, many(100, "old", 2));
    const queue = { head: virtualTime + 30_000, last: nothing, clocks };
    const { ranks } = rankFairSteps(queue, many(2, "old", 2));
    expect(ranks[0]).toBeCloseTo(virtualTime + 30_499.99, 1);
    expect(ranks[1]).toBeCloseTo(virtualTime + 30_999.99, 1);
  });

  test("go on one stride after the last step that was not removed", () => {
    const { clocks } = rankFairSteps(none, many(100, "old"));
    const last = new Map([["old", virtualTime + 40_000]]);
    const queue = { head: virtualTime + 30_000, last, clocks };
    expect(rankFairSteps(queue, many(1, "old")).ranks).toEqual([virtualTime + 41_000]);
  });

  test("count the longest stride of a key, so that a heavy step does not shorten the stride of a light one", () => {
    const { clocks } = rankFairSteps(none, [...many(1, "old"), ...many(1, "old", 1_000)]);
    const queue = { head: virtualTime, last: nothing, clocks };
    expect(rankFairSteps(queue, many(1, "old", 1_000)).ranks[0]).toBeCloseTo(
      virtualTime + 1_000,
      1,
    );
  });

  test("begin where the furthest key is if nothing is due, so that no key pays for using an idle Agent", () => {
    const { clocks } = rankFairSteps(none, many(100, "early"));
    const queue = { head: null, last: nothing, clocks };
    const { ranks } = rankFairSteps(queue, [...many(1, "late"), ...many(1, "early")]);
    expect(ranks).toEqual([virtualTime + 100_000, virtualTime + 100_000]);
  });

  test("change nothing that they are made of", () => {
    const clocks = new Map([["ann", { next: virtualTime, stride: 1_000 }]]);
    rankFairSteps({ head: null, last: nothing, clocks }, many(3, "ann"));
    expect([...clocks]).toEqual([["ann", { next: virtualTime, stride: 1_000 }]]);
  });
});

describe("gaps in the order of a key", () => {
  const head = virtualTime + 5_000;

  test("are closed: the first comes one stride after the head of the queue, the others one after each other", () => {
    const ranks = [head + 20_000, head + 20_400, head + 90_000];
    const [first, second, third] = closeFairnessGaps(head, 500, ranks);
    expect(first).toBeCloseTo(head + 499.99, 1);
    expect(second).toBeCloseTo(head + 999.99, 1);
    expect(third).toBeCloseTo(head + 1_499.99, 1);
  });

  test("are closed behind the first step, which stays", () => {
    const closed = closeFairnessGaps(head, 500, [head + 100, head + 700, head + 90_000]);
    expect(closed).toEqual([head + 100, head + 600, head + 1_100]);
  });

  test.each([0, 499, 500])(
    "stay as they are if the first step is %i ms after the head, and the second no further",
    (after) => {
      const ranks = [head + after, head + after + 500, head + 90_000];
      expect(closeFairnessGaps(head, 500, ranks)).toEqual(ranks);
    },
  );
});

test.each([1, 2, 3, 7, 999, 1_000])(
  "a key of weight %i gets its share within a thousandth",
  (weight) => {
    expect(Math.abs(1_000 / strideOf(weight) / weight - 1)).toBeLessThan(0.001);
  },
);

test.each([
  ["a customer", "customer-1", true],
  ["a text with spaces", "Ann Smith", true],
  ["a text of another script", "顧客", true],
  ["100 characters", "x".repeat(100), true],
  ["100 characters of two halves each", "😀".repeat(100), true],
  ["101 characters", "x".repeat(101), false],
  ["nothing", "", false],
  ["NUL", "a\u0000b", false],
  ["a line break", "a\nb", false],
  ["a control character of C1", "a\u0085b", false],
  ["half of a character", "a\ud800", false],
  ["a text that runs backwards", "a\u202eb", false],
  ["a number", 1, false],
  ["null", null, false],
])("whether a fairness key may be %s", (_, key, isAllowed) => {
  expect(isFairnessKey(key)).toBe(isAllowed);
});

test.each([
  [1, true],
  [1_000, true],
  [0, false],
  [1_001, false],
  [1.5, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
  ["5", false],
  [null, false],
])("whether a fairness weight may be %p", (weight, isAllowed) => {
  expect(isFairnessWeight(weight)).toBe(isAllowed);
});
