import { expect, test } from "@jest/globals";
import { dueIndex } from "./due-index.ts";

const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;
const now = 1_000_000;
const recent = now - 2_000;
const due = (rank: number, lane = "a") => ({ lane, rank });
const found = (rank: number, isOpen = false) => ({ ...due(rank), open: isOpen });

test("the due index searches everything before it has results", () => {
  expect(dueIndex().of(["a", "b"])).toEqual([
    { lane: "a", from: ever, to: open },
    { lane: "b", from: ever, to: open },
  ]);
});

test("the due index searches where steps were found, and where new ones arrive", () => {
  const spans = dueIndex();
  spans.looked([found(500), found(9_000)], recent);
  expect(spans.of(["a", "b"])).toEqual([
    { lane: "a", from: 499, to: 501 },
    { lane: "a", from: 8_999, to: 9_001 },
    { lane: "a", from: recent, to: open },
    { lane: "b", from: recent, to: open },
  ]);
});

test("the due index searches everything behind the last step found if there are more", () => {
  const spans = dueIndex();
  spans.looked([found(500), found(9_000, true)], recent);
  expect(spans.of(["a"])).toEqual([
    { lane: "a", from: 499, to: 501 },
    { lane: "a", from: 8_999, to: open },
  ]);
});

test("the due index searches at once where this Scheduler made a step due, and merges close ranges", () => {
  const spans = dueIndex();
  spans.looked([found(500)], recent);
  spans.add([due(530), due(now)], now);
  expect(spans.of(["a"])).toEqual([
    { lane: "a", from: 499, to: 531 },
    { lane: "a", from: recent, to: open },
  ]);
});

test("the due index keeps an added range for one more search, because the first may have been too early", () => {
  const spans = dueIndex();
  spans.looked([], ever);
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(spans.of(["a"])).toHaveLength(2);
  spans.looked([], recent);
  expect(spans.of(["a"])).toEqual([{ lane: "a", from: recent, to: open }]);
});

test("the due index stores nothing for callers that never search", () => {
  const spans = dueIndex();
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(spans.of(["a"])).toHaveLength(1);
});
