import { describe, expect, test } from "@jest/globals";
import {
  type Fairness,
  isFairnessKey,
  isFairnessWeight,
  rankFairSteps,
  strideOf,
  virtualTime,
} from "./fairness.ts";

const many = (count: number, key: string, weight = 1): readonly Fairness[] =>
  Array.from({ length: count }, () => ({ key, weight }));
const none = { head: null, next: new Map<string, number>() };

describe("the ranks of steps with a fairness key", () => {
  test("are closer the more weight the key has", () => {
    const { ranks } = rankFairSteps(none, [...many(2, "light"), ...many(2, "heavy", 4)]);
    expect(ranks).toEqual([virtualTime, virtualTime + 1_000, virtualTime, virtualTime + 250]);
  });

  test("begin at the head of the queue for a new key", () => {
    const { next } = rankFairSteps(none, many(100, "old"));
    const head = virtualTime + 30_000;
    expect(rankFairSteps({ head, next }, many(1, "new")).ranks).toEqual([head]);
  });

  test("go on from the last step of a key that has some in the queue", () => {
    const { next } = rankFairSteps(none, many(100, "old"));
    const head = virtualTime + 30_000;
    const { ranks } = rankFairSteps({ head, next }, many(1, "old"));
    expect(ranks).toEqual([virtualTime + 100_000]);
  });

  test("begin where the furthest key is if nothing is due, so that no key pays for using an idle Agent", () => {
    const { next } = rankFairSteps(none, many(100, "early"));
    const queue = { head: null, next };
    const { ranks } = rankFairSteps(queue, [...many(1, "late"), ...many(1, "early")]);
    expect(ranks).toEqual([virtualTime + 100_000, virtualTime + 100_000]);
  });

  test("change nothing that they are made of", () => {
    const next = new Map([["ann", virtualTime]]);
    rankFairSteps({ head: null, next }, many(3, "ann"));
    expect([...next]).toEqual([["ann", virtualTime]]);
  });
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
