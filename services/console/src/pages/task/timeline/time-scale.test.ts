import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type Span, ticksOf, timeScale } from "./time-scale.ts";

const span = (from: number, until: number): Span => ({ from, until });

describe("the axis of a timeline", () => {
  test("draws what happens to scale, and collapses a long idle time", () => {
    const { segments, xOf } = timeScale([span(0, 1_000), span(3_601_000, 3_602_000)], 434);
    expect(segments.map(({ isIdle, width }) => [isIdle, width])).toEqual([
      [false, 200],
      [true, 34],
      [false, 200],
    ]);
    expect([0, 500, 1_000, 1_801_000, 3_601_000, 3_602_000].map(xOf)).toEqual([
      0, 100, 200, 217, 234, 434,
    ]);
  });

  test("keeps a short pause as long as it is", () => {
    const { segments } = timeScale([span(0, 1_000), span(1_100, 2_000)], 200);
    expect(segments).toEqual([{ from: 0, until: 2_000, isIdle: false, x: 0, width: 200 }]);
  });

  test("places what is outside at its ends", () => {
    const { xOf } = timeScale([span(1_000, 2_000)], 100);
    expect([xOf(0), xOf(9_000)]).toEqual([0, 100]);
  });

  test("has a place for an instant alone, and none for nothing", () => {
    expect(timeScale([span(5, 5)], 100).xOf(5)).toBe(0);
    expect(timeScale([], 100).segments).toEqual([]);
    expect(timeScale([], 100).xOf(5)).toBe(0);
  });

  test("never turns back and never leaves the picture, whatever the spans", () => {
    const spans = fc.array(
      fc
        .tuple(fc.nat(10_000_000), fc.nat(50_000))
        .map(([from, length]) => span(from, from + length)),
      { minLength: 1, maxLength: 50 },
    );
    fc.assert(
      fc.property(spans, fc.integer({ min: 10, max: 5_000 }), (given, width) => {
        const { xOf } = timeScale(given, width);
        const instants = given
          .flatMap(({ from, until }) => [from, until])
          .toSorted((a, b) => a - b);
        const places = instants.map(xOf);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...places)).toBeLessThanOrEqual(width + 1e-6);
      }),
    );
  });
});

test("marks stand at round times after the origin, and have room for their words", () => {
  const scale = timeScale([span(1_130, 11_130)], 1_000);
  const ticks = ticksOf(scale, 1_000, 90);
  expect(ticks.map(({ at }) => at - 1_000)).toEqual([
    130, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000,
  ]);
  for (const [index, { x }] of ticks.entries()) {
    expect(x - (ticks[index - 1]?.x ?? -90)).toBeGreaterThanOrEqual(90);
  }
});

test("an axis over years has few marks", () => {
  expect(ticksOf(timeScale([span(0, 1e11)], 1_000), 0, 90).length).toBeLessThan(13);
});
