import type { ScheduleTroubles } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { checkSchedules } from "./check-schedules.ts";

const now = Date.UTC(2026, 0, 1, 12);
const troubles: ScheduleTroubles = {
  kind: "late",
  schedules: 3,
  id: "settle-night",
  since: new Date(now - 120_000),
  lastTask: null,
};

test("schedules that should have fired are counted, and the first is named with what may keep it", () => {
  expect(checkSchedules([troubles], now)).toMatchObject([
    {
      code: "schedules.late",
      state: "wrong",
      text: "3 schedules should have fired a minute ago or more, first settle-night, which was due 2 min ago",
      advice: expect.stringContaining("look whether a submission service runs"),
    },
    { code: "schedules.paused", state: "fine" },
  ]);
});

test("a schedule that skips again and again is named with its last task", () => {
  const blocked = {
    ...troubles,
    kind: "blocked",
    schedules: 1,
    since: null,
    lastTask: "t-1",
  } as const;
  expect(checkSchedules([blocked], now)).toMatchObject([
    { code: "schedules.late", state: "fine" },
    {
      code: "schedules.paused",
      state: "wrong",
      text: "1 schedule skips one instant after the other, first settle-night, whose last task t-1 has not ended",
      advice: expect.stringContaining("holdfast why t-1"),
    },
  ]);
});

test("schedules that Holdfast paused are named with how they go on", () => {
  const paused = { ...troubles, kind: "paused" } as const;
  expect(checkSchedules([paused], now)).toMatchObject([
    { state: "fine" },
    {
      code: "schedules.paused",
      text: "3 schedules were paused by Holdfast, since their tasks failed again and again, first settle-night, 2 min ago",
      advice: expect.stringContaining("/v1/schedules/settle-night/resume"),
    },
  ]);
});

test("no trouble is fine", () => {
  expect(checkSchedules([], now).map(({ code, state }) => [code, state])).toEqual([
    ["schedules.late", "fine"],
    ["schedules.paused", "fine"],
  ]);
});
