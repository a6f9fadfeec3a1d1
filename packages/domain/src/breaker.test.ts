import { describe, expect, test } from "@jest/globals";
import {
  type Evidence,
  evidenceOf,
  type FailureStreak,
  mustOpen,
  nextStreak,
  openForAfter,
  rampLimit,
} from "./breaker.ts";
import type { TaskEvent } from "./task-event.ts";

const attempt = { step: "charge", attempt: 1, token: "t" };
const failed = {
  kind: "failed",
  code: "psp.down",
  transient: true,
  attempted: true,
  effect: "unknown",
  retryAfter: null,
  ...attempt,
} as const;

test.each<[string, TaskEvent, Evidence]>([
  ["a completed step", { kind: "completed", ...attempt }, "answered"],
  ["a refusal", { ...failed, transient: false }, "answered"],
  ["a transient failure", failed, "failed"],
  ["an attempt that did not call", { ...failed, attempted: false }, null],
  ["a refusal without a call", { ...failed, transient: false, attempted: false }, null],
  ["silence", { kind: "expired", ...attempt }, null],
  ["a step that was stopped", { kind: "stopped", effect: "none", ...attempt }, null],
  ["an operator's request", { kind: "paused" }, null],
])("%s is evidence about its remote service", (_, event, expected) => {
  expect(evidenceOf(event)).toBe(expected);
});

describe("a breaker opens", () => {
  const after = (outcomes: readonly (readonly [Evidence, number])[]) =>
    outcomes.reduce<FailureStreak | null>(
      (streak, [evidence, at]) => nextStreak(streak, evidence, at),
      null,
    );
  const failures = (count: number, every: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ["failed", from + index * every] as const);

  test("after ten failures in a row that fill a second", () => {
    const streak = after(failures(10, 120));
    expect(mustOpen(streak, 9 * 120)).toBe(true);
  });

  test.each([
    ["nine failures", failures(9, 200), 2_000],
    ["a burst of failures", failures(500, 1), 500],
    [
      "failures with an answer between them",
      [...failures(9, 200), ["answered", 1_900] as const, ...failures(9, 200, 2_000)],
      3_800,
    ],
  ])("not after %s", (_, outcomes, now) => {
    expect(mustOpen(after(outcomes), now)).toBe(false);
  });

  test("whatever attempts that did not call come between", () => {
    const outcomes = failures(10, 120).flatMap((one) => [one, [null, one[1]] as const]);
    expect(mustOpen(after(outcomes), 9 * 120)).toBe(true);
  });
});

test("a breaker is open for longer each time in a row, up to a minute", () => {
  expect([1, 2, 3, 4, 5, 100].map(openForAfter)).toEqual([
    5_000, 10_000, 20_000, 40_000, 60_000, 60_000,
  ]);
});

test("released steps come in growing numbers", () => {
  expect([-5, 0, 250, 1_000, 2_500].map(rampLimit)).toEqual([4, 4, 8, 64, 4_096]);
  expect(Number.isSafeInteger(rampLimit(Number.MAX_SAFE_INTEGER))).toBe(true);
});
