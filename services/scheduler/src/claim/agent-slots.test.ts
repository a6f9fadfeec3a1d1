import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { limitsOf, settled, slots, type World } from "../../test/limits.ts";

test("of few slots, a step that is settled during a count stays taken until the next count, and no longer", async () => {
  const clock = testClock();
  const running = Promise.withResolvers<number>();
  const counts = [Promise.resolve(4), running.promise, Promise.resolve(3)];
  const limits = await limitsOf({ clock, count: () => counts.shift()!, slots: [2] });
  await limits.round();
  expect(slots(limits)).toBe(0);
  clock.pass(100);
  await limits.refresh();
  limits.settled("payments", clock.now());
  // The count had it no more.
  running.resolve(3);
  await settled();
  expect(slots(limits)).toBe(1);
  clock.pass(3);
  limits.settled("payments", clock.now());
  limits.claimed("payments", clock.now());
  expect(slots(limits)).toBe(1);
  clock.pass(97);
  await settled();
  expect(slots(limits)).toBe(1);
});

test("an Agent gets twice the slots of its instances, and an instance that joins or leaves is felt by the next round", async () => {
  const world: { slots: readonly number[]; consumers: number } & World = {
    slots: [1],
    consumers: 1,
  };
  const limits = await limitsOf(world);
  await limits.round();
  expect(slots(limits)).toBe(2);
  Object.assign(world, { slots: [1, 3], consumers: 2 });
  await limits.round();
  expect(slots(limits)).toBe(8);
  Object.assign(world, { slots: [1], consumers: 1 });
  await limits.round();
  expect(slots(limits)).toBe(2);
});

test("an instance that crashes is felt when the queue is next inspected, before its heartbeats are missed", async () => {
  const clock = testClock();
  const world: { consumers: number } & World = { clock, slots: [2, 2], consumers: 2 };
  const limits = await limitsOf(world);
  await limits.round();
  expect(slots(limits)).toBe(8);
  world.consumers = 1;
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(slots(limits)).toBe(4);
});

test("a lane that is full gets slots as soon as an instance joins, and wakes the claims", async () => {
  let wakes = 0;
  const onCapacity = () => {
    wakes += 1;
  };
  const world = { slots: [1], consumers: 1, inFlight: 2, maxInFlight: 20, onCapacity };
  const limits = await limitsOf(world);
  expect(await limits.round()).toBe(500);
  expect([slots(limits), wakes]).toEqual([0, 0]);
  Object.assign(world, { slots: [1, 1], consumers: 2 });
  await limits.round();
  expect([slots(limits), wakes]).toEqual([2, 1]);
});

test("an Agent that comes gets one step until its first heartbeat, and is not taken for one without heartbeats", async () => {
  const clock = testClock();
  const world: { slots: readonly number[] | null; consumers: number } & World = {
    clock,
    slots: null,
    consumers: 0,
  };
  const limits = await limitsOf(world);
  world.consumers = 1;
  clock.pass(1_000);
  await limits.refresh();
  await settled();
  expect(slots(limits)).toBe(1);
  world.slots = [2];
  await limits.round();
  expect(slots(limits)).toBe(4);
});

test("slots are read every second while nothing is in flight", async () => {
  expect(await (await limitsOf({ slots: [1] })).round()).toBe(1_000);
});

test.each([
  ["its queue is empty, by one with each settled step", 0, 203],
  ["most of what it gets waits, by nothing", 150, 200],
])("the limit of an instance that advertises nonsense grows, if %s", async (_, waiting, limit) => {
  const own = 203;
  const limits = await limitsOf({
    slots: [2 ** 31 - 1],
    waiting,
    inFlight: own,
    maxInFlight: 1_000,
  });
  await limits.round();
  expect(slots(limits)).toBe(0);
  for (let step = 0; step < 3; step += 1) limits.settled("payments", Number.POSITIVE_INFINITY);
  expect(slots(limits)).toBe(limit - 200);
});

test("of several Schedulers no one claims more than its share of the slots", async () => {
  const limits = await limitsOf({ slots: [40], schedulers: 4, maxInFlight: 200 });
  await limits.round();
  expect(limits.capacity([])).toMatchObject([{ lane: "payments", slots: 15, most: 20 }]);
});
