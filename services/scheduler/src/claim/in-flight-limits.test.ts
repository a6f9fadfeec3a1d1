import type { Breaker } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { limitsOf, settled, slots, type World } from "../../test/limits.ts";

/** A breaker that has just closed: its ramp begins with four steps. */
const breaker: Breaker = {
  service: "payments",
  state: "closed",
  reason: "",
  held: false,
  openFor: null,
  throttledFor: null,
  age: 0,
};

test.each<[string, World, number]>([
  ["nothing is in flight", {}, 10],
  ["some of it is taken", { inFlight: 7 }, 3],
  ["all of it is taken", { inFlight: 10 }, 0],
  ["more is in flight than there should be", { inFlight: 12 }, 0],
  [
    "four Schedulers have a window each, and ours has room",
    { inFlight: 32, own: 7, schedulers: 4 },
    3,
  ],
  ["others have more than their windows", { inFlight: 38, own: 2, schedulers: 4 }, 2],
  ["ours is full, and others are not", { inFlight: 12, own: 10, schedulers: 4 }, 0],
  ["no Agent consumes: one finds out when that ends", { consumers: 0 }, 1],
  ["no Agent consumes, and one is out already", { consumers: 0, inFlight: 1 }, 0],
])("when %s, a Scheduler has so many free slots", async (_, world, expected) => {
  expect(slots(await limitsOf(world))).toBe(expected);
});

test.each([
  ["for one Scheduler there is no more", { inFlight: 7 }, 3],
  ["for several there is as much again", { inFlight: 32, schedulers: 4 }, 48],
  ["even when there is no place", { inFlight: 45, schedulers: 4 }, 35],
])("of what a Scheduler makes due: %s", async (_, world, expected) => {
  expect((await limitsOf(world)).capacity([])[0]?.most).toBe(expected);
});

test("no step may be claimed beyond twice the in-flight limit", async () => {
  expect((await limitsOf({ inFlight: 80, schedulers: 4 })).capacity([])).toEqual([]);
});

test("a lane whose breaker is open has no slots, also when more was freed than is counted", async () => {
  const limits = await limitsOf({ breakers: [{ ...breaker, state: "open", openFor: 5_000 }] });
  expect(slots(limits)).toBe(0);
  expect(limits.capacity(["payments", "payments"])).toEqual([]);
});

test("a lane that is released in growing numbers has as many slots as its ramp", async () => {
  const limits = await limitsOf({ inFlight: 1, breakers: [breaker] });
  expect(slots(limits)).toBe(3);
});

test("a Scheduler that knows no Agent refreshes on every claim, and starts with a full in-flight limit", async () => {
  const lanes: string[] = [];
  const limits = await limitsOf({ lanes: () => lanes });
  expect(slots(limits)).toBe(0);
  lanes.push("payments");
  await limits.refresh();
  expect(slots(limits)).toBe(10);
});

test("claimed and settled steps change the count at once, without a query", async () => {
  const limits = await limitsOf({ maxInFlight: 3 });
  for (let step = 0; step < 3; step += 1) limits.claimed("payments", 0);
  expect(slots(limits)).toBe(0);
  limits.settled("payments", 0);
  expect(slots(limits)).toBe(1);
});

test("a Scheduler reuses the slots that it frees, up to its own limit and the total limit", async () => {
  const freed = ["payments", "payments", "payments"];
  const slotsWith = async (inFlight: number, own: number) =>
    slots(await limitsOf({ inFlight, own, schedulers: 4 }), freed);
  expect(await slotsWith(40, 10)).toBe(3);
  expect(await slotsWith(36, 12)).toBe(1);
  expect(await slotsWith(42, 10)).toBe(1);
});

test("a reply frees a slot before it is recorded", async () => {
  const limits = await limitsOf({ inFlight: 10 });
  expect(slots(limits, ["payments", "payments", "shipping"])).toBe(2);
});

test("the count is refreshed after four times its own duration, and loses no claim meanwhile", async () => {
  const clock = testClock();
  const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const waiting = [...counts];
  counts[0]!.resolve(1);
  let asked = 0;
  const count = () => {
    asked += 1;
    return waiting.shift()!.promise;
  };
  const limits = await limitsOf({ count, clock });
  expect(slots(limits)).toBe(9);
  clock.pass(100);
  await limits.refresh();
  clock.pass(300);
  limits.claimed("payments", 400);
  await limits.refresh();
  counts[1]!.resolve(2);
  await settled();
  expect(slots(limits)).toBe(7);
  clock.pass(1_199);
  await limits.refresh();
  expect(asked).toBe(2);
});

test.each([
  [1, 100],
  [4, 400],
])("each of %i Schedulers counts every %i ms", async (schedulers, every) => {
  const clock = testClock();
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 0;
  };
  const limits = await limitsOf({ count, clock, schedulers });
  clock.pass(every - 1);
  await limits.refresh();
  expect(asked).toBe(1);
  clock.pass(1);
  await limits.refresh();
  expect(asked).toBe(2);
});

test.each([
  ["during a count", 100],
  ["before the last count had ended", 101],
])("a step claimed %s may be counted twice, so the count is repeated", async (_, since) => {
  const clock = testClock();
  let counting = Promise.withResolvers<number>();
  counting.resolve(0);
  let asked = 0;
  const count = () => {
    asked += 1;
    return counting.promise;
  };
  const wakes: number[] = [];
  const onCapacity = () => void wakes.push(clock.now());
  const limits = await limitsOf({ count, clock, maxInFlight: 2, onCapacity });
  clock.pass(100);
  counting = Promise.withResolvers();
  await limits.refresh();
  clock.pass(2);
  counting.resolve(1);
  if (since > 100) await settled();
  limits.claimed("payments", since);
  await settled();
  expect([slots(limits), wakes]).toEqual([0, []]);

  counting = Promise.withResolvers();
  counting.resolve(1);
  clock.pass(98);
  await settled();
  expect([slots(limits), wakes]).toEqual([1, [200]]);
  clock.pass(60_000);
  await settled();
  expect(asked).toBe(3);
});

test("a step claimed after the last count ended is counted once, without another count", async () => {
  const clock = testClock();
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 0;
  };
  const limits = await limitsOf({ count, clock });
  clock.pass(50);
  limits.claimed("payments", clock.now());
  clock.pass(60_000);
  await settled();
  expect(asked).toBe(1);
});

test("a new lane wakes the claims, and so does one whose Agent starts", async () => {
  const clock = testClock();
  const lanes = ["payments"];
  let wakes = 0;
  const onCapacity = () => {
    wakes += 1;
  };
  const world = { clock, inFlight: 1, lanes: () => lanes, consumers: 0, onCapacity };
  const limits = await limitsOf(world);
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(wakes).toBe(0);
  world.consumers = 1;
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(wakes).toBe(0);
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(wakes).toBe(1);
  lanes.push("shipping");
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(wakes).toBe(2);
});
