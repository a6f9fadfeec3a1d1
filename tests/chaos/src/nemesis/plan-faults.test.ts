import { seededRandom } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { faultClasses } from "./fault-classes.ts";
import { planFaults } from "./plan-faults.ts";

const plan = (seed: number, faults = 100) =>
  planFaults({ classes: faultClasses, faults, duration: 60_000, random: seededRandom(seed) });
const summary = (seed: number) => plan(seed).map(({ at, fault }) => `${at} ${fault.name}`);

test("the same seed plans the same faults at the same times, and another seed plans others", () => {
  expect(summary(7)).toEqual(summary(7));
  expect(summary(7)).not.toEqual(summary(8));
});

test("the plan has every class and the requested number of faults, within the time, one after the other", () => {
  const planned = plan(1);
  const times = planned.map(({ at }) => at);
  expect(planned).toHaveLength(100);
  expect(new Set(planned.map(({ fault }) => fault.name))).toEqual(
    new Set(faultClasses.map(({ name }) => name)),
  );
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times.every((at) => at >= 0 && at <= 60_000)).toBe(true);
});

test("no class comes for the first time in the last quarter", () => {
  for (const seed of [1, 2, 3]) {
    const early = plan(seed).filter(({ at }) => at < 45_000);
    expect(new Set(early.map(({ fault }) => fault.name)).size).toBe(faultClasses.length);
  }
});

test("a plan with fewer faults than classes has each class once", () => {
  expect(plan(1, 3)).toHaveLength(faultClasses.length);
});

test("no two classes share a name, and each can come again", () => {
  expect(new Set(faultClasses.map(({ name }) => name)).size).toBe(faultClasses.length);
  expect(faultClasses.every(({ weight }) => weight > 0)).toBe(true);
});
