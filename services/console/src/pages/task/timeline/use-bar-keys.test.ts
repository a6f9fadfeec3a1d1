import { expect, test } from "@jest/globals";
import { attemptOf, attemptsOf } from "./attempts-of-tests.ts";
import { layOutTimeline } from "./lay-out-timeline.ts";
import { barAt } from "./use-bar-keys.ts";

const lanes = layOutTimeline({
  attempts: attemptsOf([
    attemptOf("reserve", 1, { from: 0, took: 1_000 }),
    attemptOf("charge", 1, { from: 1_000, took: 1_000 }),
    attemptOf("charge", 2, { from: 3_000, took: 1_000 }),
    attemptOf("charge:undo", 1, { from: 5_000, took: 1_000 }),
  ]),
  steps: ["reserve", "wait", "charge"],
  now: 9_000,
  width: 1_000,
}).rows.flatMap((row) => row.lanes.map(({ bars }) => bars));

const from = (step: string, attempt: number, key: string) => {
  const shown = barAt(lanes, { selected: { step, attempt }, key })?.shown;
  return shown === undefined ? null : `${shown.step} ${shown.attempt}`;
};

test.each([
  ["charge", 1, "ArrowRight", "charge 2"],
  ["charge", 2, "ArrowRight", null],
  ["charge", 2, "ArrowLeft", "charge 1"],
  ["charge", 1, "End", "charge 2"],
  ["charge", 2, "Home", "charge 1"],
  ["charge", 2, "ArrowDown", "charge:undo 1"],
  ["charge:undo", 1, "ArrowUp", "charge 2"],
  ["charge", 1, "ArrowUp", "reserve 1"],
  ["reserve", 1, "ArrowUp", null],
  ["charge", 1, "Enter", "charge 1"],
  ["charge", 1, "x", null],
])("from %s %i the key %s leads to %s", (step, attempt, key, to) => {
  expect(from(step, attempt, key)).toBe(to);
});

test("with nothing selected the first key leads to the first attempt", () => {
  expect(barAt(lanes, { selected: null, key: "ArrowRight" })?.shown.step).toBe("reserve");
  expect(barAt([], { selected: null, key: "ArrowRight" })).toBeNull();
});
