import { describe, expect, test } from "@jest/globals";
import { remarksOf, standingOf } from "./standing.ts";

const plain = {
  definition: {},
  next: "2026-11-30T01:30:00.000Z",
  buffered: null,
  failures: 0,
  skips: 0,
  paused: null,
};
const paused = { at: "2026-11-29T01:30:00.000Z", by: "operator:ann", reason: "the bank is closed" };

describe("a schedule", () => {
  test.each([
    ["fires", {}],
    ["skips", { skips: 2 }],
    ["blocked", { skips: 3 }],
    ["paused", { next: null, skips: 3, paused }],
    ["failing", { next: null, paused: { ...paused, reason: "schedule.failing" } }],
    ["over", { next: null }],
    ["fires", { next: null, buffered: "2026-11-29T01:30:00.000Z" }],
  ])("%s where it has %j", (standing, more) => {
    expect(standingOf({ ...plain, ...more })).toBe(standing);
  });

  test("that just fires needs no words", () => {
    expect(remarksOf(plain)).toEqual([]);
  });

  test("that is paused says who paused it and why, and of itself what to do", () => {
    expect(remarksOf({ ...plain, skips: 4, failures: 1, paused })).toEqual([
      expect.stringMatching(/^operator:ann paused it at 2026-11-.*: the bank is closed\. Nothing /),
    ]);
    expect(remarksOf({ ...plain, paused: { ...paused, reason: null } })).toEqual([
      expect.stringMatching(/^operator:ann paused it at \d{4}-\d\d-\d\d \d\d:\d\d\. Nothing /),
    ]);
    expect(remarksOf({ ...plain, paused: { ...paused, reason: "schedule.failing" } })).toEqual([
      expect.stringMatching(/^It paused itself at .* then resume it/),
    ]);
  });

  test("says how many instants it skipped, what waits, and what failed", () => {
    const buffered = "2026-11-29T01:30:00.000Z";
    const all = { ...plain, next: null, buffered, skips: 1, failures: 2 };
    expect(remarksOf({ ...all, definition: { pauseAfterFailures: 3 } })).toEqual([
      "The last instant was skipped, since the last task had not ended. It fires again once that has.",
      expect.stringMatching(/^The instant of 2026-11-.* waits for the end of the last task\.$/),
      "Tasks that failed in a row: 2, and it pauses itself after 3.",
      "Its calendar has no further instant.",
    ]);
    expect(remarksOf({ ...all, skips: 1_200, definition: { pauseAfterFailures: null } })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The last 1,200 instants were skipped/),
        "Tasks that failed in a row: 2.",
      ]),
    );
  });
});
