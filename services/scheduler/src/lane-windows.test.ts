import type { Logger } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { laneWindows } from "./lane-windows.ts";
import { testClock } from "./testing-clock.ts";

interface World {
  readonly count?: () => Promise<number>;
  readonly clock?: ReturnType<typeof testClock>;
  readonly inFlight?: number;
  readonly own?: number;
  /** Of the Agents' queue; may change. */
  readonly consumers?: number;
  readonly schedulers?: number;
  readonly window?: number;
  readonly lanes?: () => readonly string[];
}

async function windowsOf(world: World) {
  const { inFlight = 0, own = inFlight, count = async () => inFlight } = world;
  const { clock = testClock(), schedulers = 1, window = 10, lanes = () => ["payments"] } = world;
  const windows = laneWindows({
    store: {
      findLanes: async () => [...lanes()],
      countStepsInFlight: async () => {
        const counted = await count();
        return [{ lane: "payments", inFlight: counted, own: Math.min(own, counted) }];
      },
    },
    broker: {
      inspect: async (queue) => ({
        messages: 0,
        consumers: queue === "agent.payments" ? (world.consumers ?? 1) : schedulers,
      }),
    },
    window,
    lockedBy: "scheduler-1",
    clock,
    log: { warn: () => {} } as Partial<Logger> as Logger,
    signal: new AbortController().signal,
  });
  await windows.refresh();
  return windows;
}

const places = (windows: Awaited<ReturnType<typeof windowsOf>>, freed: readonly string[] = []) =>
  windows.room(freed)[0]?.places ?? 0;

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
  ["nobody consumes: one finds out when that ends", { consumers: 0 }, 1],
  ["nobody consumes, and one is out already", { consumers: 0, inFlight: 1 }, 0],
])("when %s, there is room for so many more", async (_, world, expected) => {
  expect(places(await windowsOf(world))).toBe(expected);
});

test.each([
  ["for one Scheduler there is no more", { inFlight: 7 }, 3],
  ["for several there is as much again", { inFlight: 32, schedulers: 4 }, 48],
  ["even when there is no place", { inFlight: 45, schedulers: 4 }, 35],
])("of what a Scheduler makes due: %s", async (_, world, expected) => {
  expect((await windowsOf(world)).room([])[0]?.most).toBe(expected);
});

test("nothing at all may be claimed beyond twice the windows", async () => {
  expect((await windowsOf({ inFlight: 80, schedulers: 4 })).room([])).toEqual([]);
});

test("who knows of no lane looks for one each time, and has its whole window at once", async () => {
  const lanes: string[] = [];
  const windows = await windowsOf({ lanes: () => lanes });
  expect(places(windows)).toBe(0);
  lanes.push("payments");
  await windows.refresh();
  expect(places(windows)).toBe(10);
});

test("what is claimed and what is settled counts at once, without asking the store", async () => {
  const windows = await windowsOf({ window: 3 });
  for (let step = 0; step < 3; step += 1) windows.claimed("payments", 0);
  expect(places(windows)).toBe(0);
  windows.settled("payments");
  expect(places(windows)).toBe(1);
});

test("what a Scheduler frees it fills itself, but no more than its window, and those of all", async () => {
  const freed = ["payments", "payments", "payments"];
  const placesWith = async (inFlight: number, own: number) =>
    places(await windowsOf({ inFlight, own, schedulers: 4 }), freed);
  expect(await placesWith(40, 10)).toBe(3);
  expect(await placesWith(36, 12)).toBe(1);
  expect(await placesWith(42, 10)).toBe(1);
});

test("a reply makes room before it is recorded", async () => {
  const windows = await windowsOf({ inFlight: 10 });
  expect(places(windows, ["payments", "payments", "shipping"])).toBe(2);
});

test("counts again when four times as long has passed as it took, and forgets nothing meanwhile", async () => {
  const clock = testClock();
  const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const waiting = [...counts];
  counts[0]!.resolve(1);
  let asked = 0;
  const count = () => {
    asked += 1;
    return waiting.shift()!.promise;
  };
  const windows = await windowsOf({ count, clock });
  expect(places(windows)).toBe(9);
  clock.pass(100);
  await windows.refresh();
  clock.pass(300);
  windows.claimed("payments", 400);
  await windows.refresh();
  counts[1]!.resolve(2);
  await settled();
  expect(places(windows)).toBe(7);
  clock.pass(1_199);
  await windows.refresh();
  expect(asked).toBe(2);
});

test.each([
  [1, 100],
  [4, 400],
])("of %i Schedulers each counts every %i ms", async (schedulers, every) => {
  const clock = testClock();
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 0;
  };
  const windows = await windowsOf({ count, clock, schedulers });
  clock.pass(every - 1);
  await windows.refresh();
  expect(asked).toBe(1);
  clock.pass(1);
  await windows.refresh();
  expect(asked).toBe(2);
});

test.each([
  ["during a count", 100],
  ["before the last count had ended", 101],
])("what was claimed %s may stand there twice: counts once more by itself", async (_, since) => {
  const clock = testClock();
  let counting = Promise.withResolvers<number>();
  counting.resolve(0);
  let asked = 0;
  const count = () => {
    asked += 1;
    return counting.promise;
  };
  const windows = await windowsOf({ count, clock, window: 2 });
  const wakes: number[] = [];
  windows.whenRoom(() => wakes.push(clock.now()));
  clock.pass(100);
  counting = Promise.withResolvers();
  await windows.refresh();
  clock.pass(2);
  counting.resolve(1);
  if (since > 100) await settled();
  windows.claimed("payments", since);
  await settled();
  expect([places(windows), wakes]).toEqual([0, []]);

  counting = Promise.withResolvers();
  counting.resolve(1);
  clock.pass(98);
  await settled();
  expect([places(windows), wakes]).toEqual([1, [200]]);
  clock.pass(60_000);
  await settled();
  expect(asked).toBe(3);
});

test("what was claimed after the last count had ended stands there once: nobody counts again", async () => {
  const clock = testClock();
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 0;
  };
  const windows = await windowsOf({ count, clock });
  clock.pass(50);
  windows.claimed("payments", clock.now());
  clock.pass(60_000);
  await settled();
  expect(asked).toBe(1);
});

test("a lane that comes up says so, and so does one whose Agent comes", async () => {
  const clock = testClock();
  const lanes = ["payments"];
  const world = { clock, inFlight: 1, lanes: () => lanes, consumers: 0 };
  const windows = await windowsOf(world);
  let wakes = 0;
  windows.whenRoom(() => {
    wakes += 1;
  });
  clock.pass(1_000);
  await windows.refresh();
  await settled();
  expect(wakes).toBe(0);
  world.consumers = 1;
  clock.pass(1_000);
  await windows.refresh();
  await settled();
  expect(wakes).toBe(1);
  lanes.push("shipping");
  clock.pass(1_000);
  await windows.refresh();
  await settled();
  expect(wakes).toBe(2);
});

const settled = () => new Promise(setImmediate);
