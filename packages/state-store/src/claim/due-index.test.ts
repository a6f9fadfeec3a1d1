import { virtualTime } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { dueIndex, spansUpTo } from "./due-index.ts";

const { NEGATIVE_INFINITY: ever, POSITIVE_INFINITY: open } = Number;
const now = 1_000_000;
const recent = now - 2_000;
const due = (rank: number, lane = "a", band = 2) => ({ lane, band, rank });
const found = (rank: number, isOpen = false) => ({ ...due(rank), open: isOpen });
const end = virtualTime - 1;
/** An index that never looks for steps with a key first. */
const indexOf = () => dueIndex({ random: () => 0.9 });
const searched = (index: ReturnType<typeof dueIndex>, ...lanes: readonly string[]) =>
  index.of(lanes.map((lane) => ({ lane, isSplit: false })));
/** The spans of the band `normal`, in due time. */
const normal = (index: ReturnType<typeof dueIndex>, lane = "a") =>
  searched(index, lane)
    .filter(({ lowBand, from }) => lowBand === 2 && from < end)
    .map(({ from, to }) => [from, to]);

test("the due index searches everything before it has results", () => {
  const all = { lowBand: 0, from: ever, highBand: 3, to: open };
  expect(searched(dueIndex(), "a", "b")).toEqual([
    { lane: "a", ...all },
    { lane: "b", ...all },
  ]);
});

test("the due index has a span of its own for the last band where slots are reserved for it", () => {
  expect(dueIndex().of([{ lane: "a", isSplit: true }])).toEqual([
    { lane: "a", lowBand: 0, from: ever, highBand: 2, to: open },
    { lane: "a", lowBand: 3, from: ever, highBand: 3, to: open },
  ]);
});

test("a claim of the first bands searches no band behind them", () => {
  const spans = indexOf();
  const lanes = [{ lane: "a", isSplit: false }];
  expect(spansUpTo(1, spans.of(lanes))).toEqual([
    { lane: "a", lowBand: 0, from: ever, highBand: 1, to: open },
  ]);
  spans.looked([found(500)], recent);
  expect(spansUpTo(1, spans.of(lanes)).map(({ lowBand }) => lowBand)).toEqual([0, 0, 1, 1]);
});

test("the due index searches where steps were found, and where new ones arrive", () => {
  const spans = indexOf();
  spans.looked([found(500), found(9_000)], recent);
  expect(normal(spans)).toEqual([
    [499, 501],
    [8_999, 9_001],
    [recent, end],
  ]);
  expect(normal(spans, "b")).toEqual([[recent, end]]);
});

test("the due index searches band after band", () => {
  const spans = indexOf();
  spans.looked([found(500)], recent);
  expect(searched(spans, "a").map(({ lowBand }) => lowBand)).toEqual([0, 0, 1, 1, 2, 2, 2, 3, 3]);
  expect(searched(spans, "a").every(({ lowBand, highBand }) => lowBand === highBand)).toBe(true);
});

test("the due index searches everything behind the last step found if there are more", () => {
  const spans = indexOf();
  spans.looked([found(500), found(9_000, true)], recent);
  expect(normal(spans)).toEqual([
    [499, 501],
    [8_999, end],
  ]);
});

test("the due index searches at once where this Scheduler made a step due, and merges close ranges", () => {
  const spans = indexOf();
  spans.looked([found(500)], recent);
  spans.add([due(530), due(now)], now);
  expect(normal(spans)).toEqual([
    [499, 531],
    [recent, end],
  ]);
});

test("the due index keeps an added range for one more search, because the first may have been too early", () => {
  const spans = indexOf();
  spans.looked([], ever);
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(normal(spans)).toHaveLength(2);
  spans.looked([], recent);
  expect(normal(spans)).toEqual([[recent, end]]);
});

test("the due index stores nothing for callers that never search", () => {
  const spans = indexOf();
  spans.add([due(500)], now);
  spans.looked([], recent);
  expect(normal(spans)).toHaveLength(1);
});

describe("steps with a fairness key", () => {
  const keyed = (rank: number) => found(virtualTime + rank);
  const virtual = (index: ReturnType<typeof dueIndex>) =>
    searched(index, "a").filter(({ lowBand, to }) => lowBand === 2 && to === open);

  test("are searched from the first that was found on, and later never further back", () => {
    const spans = indexOf();
    spans.looked([keyed(5_000)], recent);
    expect(virtual(spans)).toMatchObject([{ from: virtualTime + 4_999 }]);
    spans.looked([], recent);
    expect(virtual(spans)).toMatchObject([{ from: virtualTime + 4_999 }]);
  });

  test("are searched from where this process ranked one, if that is before", () => {
    const spans = indexOf();
    spans.looked([keyed(5_000)], recent);
    spans.add([keyed(4_000)], now);
    expect(virtual(spans)).toMatchObject([{ from: virtualTime + 3_999 }]);
  });

  test("come before the others of their band in every other claim, by chance", () => {
    let chance = 0.4;
    const spans = dueIndex({ random: () => chance });
    spans.looked([keyed(0)], ever);
    const first = searched(spans, "a");
    expect(first.map(({ lowBand }) => lowBand)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(first.map(({ to }) => to)).toEqual([open, end, open, end, open, end, open, end]);
    chance = 0.6;
    expect(searched(spans, "a")).toHaveLength(1);
  });

  test("change nothing once there are none", () => {
    const spans = dueIndex({ random: () => 0 });
    spans.looked([keyed(0)], ever);
    spans.looked([], ever);
    expect(searched(spans, "a")).toHaveLength(1);
  });
});
