import { expect, test } from "@jest/globals";
import { delayedDestinations } from "./delayed-destinations.ts";

const world = () => {
  const clock = { at: 0, now: () => clock.at };
  return { clock, resting: delayedDestinations(clock, 60_000) };
};

test("a destination that refuses a message is delayed twice as long each time, up to a limit", () => {
  const { clock, resting } = world();
  const rests: number[] = [];
  for (let failure = 0; failure < 9; failure += 1) {
    resting.failed("status a");
    rests.push(resting.nextIn() ?? 0);
    clock.at += resting.nextIn() ?? 0;
    expect(resting.names()).toEqual([]);
  }
  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test("many messages of one batch that are refused count once", () => {
  const { resting } = world();
  for (let message = 0; message < 100; message += 1) resting.failed("status a");
  expect(resting.nextIn()).toBe(1_000);
});

test("a destination that accepts a message loses its delay, and no other is affected", () => {
  const { clock, resting } = world();
  resting.failed("status a");
  clock.at = 1_000;
  resting.failed("status a");
  resting.failed("status b");
  resting.succeeded("status a");
  expect(resting.names()).toEqual(["status b"]);
  resting.failed("status a");
  expect(resting.nextIn()).toBe(1_000);
});

test("delayed destinations without a recent send are removed", () => {
  const { clock, resting } = world();
  resting.failed("status a");
  clock.at = 1_000 + 60_000 + 1;
  expect(resting.names()).toEqual([]);
  resting.failed("status a");
  expect(resting.nextIn()).toBe(1_000);
});
