import { describe, expect, test } from "@jest/globals";
import type { Attempts } from "../../../api/types.ts";
import { attemptOf, attemptsOf } from "./attempts-of-tests.ts";
import { layOutTimeline } from "./lay-out-timeline.ts";

const steps = ["reserve", "charge"];
const lay = (attempts: Attempts, { now = 100_000, width = 1_000 } = {}) =>
  layOutTimeline({ attempts, steps, now, width });
const at = (ms: number): string => new Date(ms).toISOString();

describe("a timeline", () => {
  test("has a row for each step, and the undo under its step", () => {
    const { rows } = lay(
      attemptsOf([
        attemptOf("reserve", 1, { from: 0, took: 1_000 }),
        attemptOf("reserve:undo", 1, { from: 2_000, took: 500 }),
      ]),
    );
    expect(rows.map(({ lanes }) => lanes.map(({ step, isUndo }) => [step, isUndo]))).toEqual([
      [
        ["reserve", false],
        ["reserve:undo", true],
      ],
      [["charge", false]],
    ]);
  });

  test("draws a deadline that is in sight, and only the way to one that is not", () => {
    const first = attemptOf("reserve", 1, { from: 0, took: 1_000 });
    const [alone] = lay(attemptsOf([first])).rows[0]?.lanes[0]?.bars ?? [];
    expect(alone?.deadline).toBeNull();
    const beside = attemptOf("charge", 1, { from: 0, took: 10_000 });
    const [bar] = lay(attemptsOf([first, beside])).rows[0]?.lanes[0]?.bars ?? [];
    expect(bar).toMatchObject({ x: 0, width: 100, deadline: 500, lineUntil: 500 });
  });

  test("shows the deadline of an attempt that runs, even before it has come", () => {
    const running = attemptOf("charge", 1, { from: 0, took: null });
    const { rows, scale } = lay(attemptsOf([running]), { now: 1_000 });
    const [bar] = rows[1]?.lanes[0]?.bars ?? [];
    expect(bar?.deadline).toBe(scale.xOf(5_000));
    expect(bar?.width).toBeLessThan(bar?.deadline ?? 0);
  });

  test("never draws a deadline over the next attempt of the step", () => {
    const { rows } = lay(
      attemptsOf([
        attemptOf("charge", 2, { from: 1_200, took: 8_000 }),
        attemptOf("charge", 1, { from: 0, took: 1_000, outcome: "failed" }),
      ]),
    );
    const [first, second] = rows[1]?.lanes[0]?.bars ?? [];
    expect(first?.deadline).toBeNull();
    expect(first?.lineUntil ?? 0).toBeLessThan(second?.x ?? 0);
  });

  test("shows waits and late replies where they were", () => {
    const { rows, scale } = lay(
      attemptsOf([attemptOf("charge", 1, { from: 0, took: 5_000, outcome: "expired" })], {
        waits: [{ step: "charge", from: at(5_000), until: null, reason: "retry" }],
        lateReplies: [{ step: "charge", attempt: 1, at: at(5_300), reason: "stale", sender: null }],
      }),
      { now: 5_300 },
    );
    const [lane] = rows[1]?.lanes ?? [];
    expect(lane?.waits).toMatchObject([{ x: scale.xOf(5_000) }]);
    expect(lane?.late).toMatchObject([{ x: scale.xOf(5_300), replies: [{ attempt: 1 }] }]);
  });

  describe("of a step that waits for a time", () => {
    const day = 86_400_000;
    const wait = (from: number, until: number) => ({
      step: "charge",
      from: at(from),
      until: at(until),
      reason: "open",
    });
    const first = attemptOf("reserve", 1, { from: 0, took: 1_000 });

    test("has a bar of its own over the idle time, which is folded however long it is", () => {
      const waits = [wait(1_000, 14 * day)];
      const after = attemptOf("charge", 1, { from: 14 * day, took: 1_000 });
      const { rows, scale } = lay(attemptsOf([first, after], { waits }), { now: 20 * day });
      const [bar, ...more] = rows[1]?.lanes[0]?.waits ?? [];
      expect(more).toEqual([]);
      expect(bar).toMatchObject({ isOwn: true, x: scale.xOf(1_000), width: 34 });
      expect(scale.segments.map(({ isIdle }) => isIdle)).toEqual([false, true, false]);
    });

    test("has now between what is past of it and what is to come", () => {
      const waits = [wait(1_000, 14 * day)];
      const { rows, scale } = lay(attemptsOf([first], { waits }), { now: 6 * day });
      const [bar] = rows[1]?.lanes[0]?.waits ?? [];
      expect(bar?.width).toBe(68);
      expect(scale.xOf(6 * day)).toBe((bar?.x ?? 0) + 34);
    });

    test("is drawn where the task does nothing else, and where the wait ended at once", () => {
      for (const waits of [[wait(0, 14 * day)], [wait(0, 0)], [wait(5, 5), wait(5, 5)]]) {
        const { rows } = lay(attemptsOf([], { waits }), { now: day });
        const [bar, ...more] = rows[1]?.lanes[0]?.waits ?? [];
        expect(more).toEqual([]);
        expect(bar?.x).toBeGreaterThanOrEqual(0);
        expect(bar?.width).toBeGreaterThanOrEqual(5);
        expect((bar?.x ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(1_000.001);
      }
    });
  });

  test("of 1,000 attempts draws few bars that hold all of them and do not overlap", () => {
    const items = Array.from({ length: 1_000 }, (_, index) =>
      attemptOf("charge", index + 1, {
        from: index * 20_000,
        took: 500,
        outcome: index === 700 ? "expired" : "processed",
      }),
    );
    const { rows } = lay(attemptsOf(items.toReversed()), { now: 1e9 });
    const bars = rows[1]?.lanes[0]?.bars ?? [];
    expect(bars.length).toBeGreaterThan(10);
    expect(bars.length).toBeLessThan(250);
    expect(bars.flatMap(({ attempts }) => attempts)).toHaveLength(1_000);
    for (const [index, { x, width }] of bars.entries()) {
      expect(x + width).toBeLessThanOrEqual(bars[index + 1]?.x ?? 1_000.001);
    }
    expect(bars.filter(({ shown }) => shown.outcome === "expired")).toHaveLength(1);
  });

  test("takes any clock: attempts that ended before they began, and those of tomorrow", () => {
    const { rows } = lay(
      attemptsOf([
        attemptOf("charge", 1, { from: 1_000, took: -500 }),
        attemptOf("reserve", 1, { from: 9e7, took: null }),
      ]),
      { now: 2_000 },
    );
    for (const { lanes } of rows) {
      for (const { x, width } of lanes.flatMap(({ bars }) => bars)) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(width).toBeGreaterThan(0);
        expect(x + width).toBeLessThanOrEqual(1_000.001);
      }
    }
  });

  test("of a task without attempts is empty", () => {
    const { rows } = lay(attemptsOf([]));
    expect(rows.flatMap(({ lanes }) => lanes.flatMap(({ bars }) => bars))).toEqual([]);
  });
});
