import { describe, expect, test } from "@jest/globals";
import type { HistoryEntry } from "../../../api/types.ts";
import { actorOf, filterHistory, type HistoryFilter, readHistoryFilter } from "./history-filter.ts";
import { withMove } from "./with-move.ts";

const entry = (id: string, rest: Partial<HistoryEntry>): HistoryEntry => ({
  id,
  step: "charge",
  action: "claim",
  fromState: "pending",
  toState: "processing",
  attempt: 1,
  actor: "scheduler-1a2b3c4d",
  reason: null,
  source: null,
  note: null,
  at: "2026-11-25T21:40:00.000Z",
  ...rest,
});

const items = [
  entry("1", { step: null, action: "submit", toState: "pending", actor: "submission-6035680d" }),
  entry("2", {}),
  entry("3", { action: "retry", toState: "pending", actor: "supervisor-6035680d" }),
  entry("4", { action: "fail", toState: "error" }),
  entry("5", { action: "resubmit", toState: "pending", actor: "scheduler-of-nights@example.com" }),
  entry("6", { step: null, action: "pause", toState: "pending", actor: "ada@example.com" }),
];

describe("the history", () => {
  test.each<[HistoryFilter, string]>([
    ["all", "654321"],
    ["failures", "43"],
    ["states", "61"],
    ["people", "65"],
    ["supervisor", "3"],
  ])("filtered by %s has the entries %s, newest first", (filter, ids) => {
    expect(
      filterHistory(items, filter)
        .map(({ id }) => id)
        .join(""),
    ).toBe(ids);
  });

  test("reads its filter from a URL, whatever stands there", () => {
    expect(["people", "__proto__", null].map(readHistoryFilter)).toEqual(["people", "all", "all"]);
  });

  test("takes a move of the stream once", () => {
    const [first, second] = items as [HistoryEntry, HistoryEntry];
    expect(withMove([first], second)).toEqual([first, second]);
    const known = [first, second];
    expect(withMove(known, { ...second })).toBe(known);
  });
});

test("an actor that is no process of a service, and no schedule, is a person", () => {
  expect(actorOf(entry("1", { actor: "ada@example.com", action: "undo" }))).toBe("person");
  expect(actorOf(entry("1", { actor: "schedule:settle-night", action: "submit" }))).toBe("other");
  expect(actorOf(entry("1", { actor: "supervisor-6035680d", action: "requeue" }))).toBe(
    "supervisor",
  );
});
