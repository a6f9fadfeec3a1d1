import { expect, test } from "@jest/globals";
import { dueSpans } from "./due-spans.ts";

const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;
const now = 1_000_000;
const recent = now - 2_000;
const due = (rank: number, lane = "a") => ({ lane, rank });
const found = (rank: number, isOpen = false) => ({ ...due(rank), open: isOpen });

test("looks everywhere until it is told otherwise", () => {
  expect(dueSpans().of(["a", "b"])).toEqual([
    { lane: "a", from: ever, to: open },
    { lane: "b", from: ever, to: open },
  ]);
});

test("looks where steps were found, and where new ones come", () => {
  const spans = dueSpans();
  spans.looked([found(500), found(9_000)], recent);
  expect(spans.of(["a", "b"])).toEqual([
    { lane: "a", from: 499, to: 501 },
    { lane: "a", from: 8_999, to: 9_001 },
    { lane: "a", from: recent, to: open },
    { lane: "b", from: recent, to: open },
  ]);
});

test("looks everywhere behind the last step that was found, where there are more", () => {
  const spans = dueSpans();
  spans.looked([found(500), found(9_000, true)], recent);
  expect(spans.of(["a"])).toEqual([
    { lane: "a", from: 499, to: 501 },
    { lane: "a", from: 8_999, to: open },
  ]);
});

test("looks at once where we make a step due, and joins what is close", () => {
  const spans = dueSpans();
  spans.looked([found(500)], recent);
  spans.add([due(530), due(now)], now);
  expect(spans.of(["a"])).toEqual([
    { lane: "a", from: 499, to: 531 },
    { lane: "a", from: recent, to: open },
  ]);
});

test("keeps what was added for one look, which may have come too early for it", () => {
  const spans = dueSpans();
  spans.looked([], ever);
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(spans.of(["a"])).toHaveLength(2);
  spans.looked([], recent);
  expect(spans.of(["a"])).toEqual([{ lane: "a", from: recent, to: open }]);
});

test("remembers nothing for those who never look", () => {
  const spans = dueSpans();
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(spans.of(["a"])).toHaveLength(1);
});
