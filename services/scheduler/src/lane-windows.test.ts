import type { Logger } from "@holdfast/runtime";
import { expect, test } from "@jest/globals";
import { laneWindows } from "./lane-windows.ts";

interface World {
  readonly count?: () => Promise<number>;
  readonly clock?: { now: () => number };
  readonly inFlight?: number;
  readonly own?: number;
  readonly consumers?: number;
  readonly schedulers?: number;
  readonly window?: number;
  readonly lanes?: () => readonly string[];
}

async function windowsOf({
  inFlight = 0,
  own = inFlight,
  count = async () => inFlight,
  clock = { now: () => 0 },
  consumers = 1,
  schedulers = 1,
  window = 10,
  lanes = () => ["payments"],
}: World) {
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
        consumers: queue === "agent.payments" ? consumers : schedulers,
      }),
    },
    window,
    lockedBy: "scheduler-1",
    clock,
    log: { warn: () => {} } as Partial<Logger> as Logger,
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
  for (let step = 0; step < 3; step += 1) windows.claimed("payments");
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
  let now = 0;
  const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const waiting = [...counts];
  counts[0]!.resolve(1);
  let asked = 0;
  const count = () => {
    asked += 1;
    return waiting.shift()!.promise;
  };
  const windows = await windowsOf({ count, clock: { now: () => now } });
  expect(places(windows)).toBe(9);
  now = 100;
  await windows.refresh();
  now = 400;
  windows.claimed("payments");
  await windows.refresh();
  counts[1]!.resolve(2);
  await counts[1]!.promise;
  await new Promise(setImmediate);
  expect(places(windows)).toBe(7);
  now = 1_599;
  await windows.refresh();
  expect(asked).toBe(2);
});

test.each([
  [1, 100],
  [4, 400],
])("of %i Schedulers each counts every %i ms", async (schedulers, every) => {
  let now = 0;
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 0;
  };
  const windows = await windowsOf({ count, clock: { now: () => now }, schedulers });
  now = every - 1;
  await windows.refresh();
  expect(asked).toBe(1);
  now = every;
  await windows.refresh();
  expect(asked).toBe(2);
});
