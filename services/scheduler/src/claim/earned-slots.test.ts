import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { earnedSlots } from "./earned-slots.ts";

const lane = "payments";
const taken = { waiting: 0, inFlight: 200 };
const waiting = { waiting: 101, inFlight: 200 };

test("a lane earns a slot with each step that it settles, if most of what is in flight is taken", () => {
  const earned = earnedSlots(testClock());
  expect(earned.of(lane)).toBe(0);
  for (let step = 0; step < 3; step += 1) earned.settled(lane, taken);
  expect(earned.of(lane)).toBe(3);
  earned.settled(lane, waiting);
  expect(earned.of(lane)).toBe(3);
  expect(earned.of("shipping")).toBe(0);
});

test("a lane that settles nothing for a minute begins anew", () => {
  const clock = testClock();
  const earned = earnedSlots(clock);
  earned.settled(lane, taken);
  clock.pass(59_000);
  earned.kept(lane);
  clock.pass(60_000);
  expect(earned.of(lane)).toBe(1);
  clock.pass(1);
  expect(earned.of(lane)).toBe(0);
});

test("a lane that needs no more earns nothing", () => {
  const earned = earnedSlots(testClock());
  earned.kept(lane);
  expect(earned.of(lane)).toBe(0);
});
