import { replyQueue, unrecordedQueue } from "@holdfast/contracts";
import { describe, expect, test } from "@jest/globals";
import { brokerOutages } from "./broker-outages.ts";

/** A broker and a clock that a test turns. */
function watched() {
  const world = {
    isReady: true,
    now: 0,
    replies: { messages: 0, consumers: 1 },
    own: 0,
    unrecorded: 0,
  };
  const watch = brokerOutages({
    broker: {
      get isReady() {
        return world.isReady;
      },
      inspect: async (queue) => {
        if (queue === unrecordedQueue) return { messages: world.unrecorded, consumers: 0 };
        return queue === replyQueue ? world.replies : { messages: world.own, consumers: 1 };
      },
    },
    clock: { now: () => world.now },
  });
  return { world, watch };
}

describe("an Agent's silence", () => {
  test("counts if every reply has been consumed", async () => {
    const { watch } = watched();
    expect(await watch.canTrustSilence()).toBe(true);
  });

  test.each([
    ["the broker is away", { isReady: false }],
    ["no Scheduler takes replies", { replies: { messages: 0, consumers: 0 } }],
    ["replies wait", { replies: { messages: 1, consumers: 1 } }],
    ["replies wait for the one that asked", { own: 1 }],
    ["a Scheduler cannot record what it has read", { unrecorded: 1 }],
  ])("does not count while %s", async (_, change) => {
    const { watch, world } = watched();
    Object.assign(world, change);
    expect(await watch.canTrustSilence()).toBe(false);
  });

  test("counts in the end if there are always replies waiting", async () => {
    const { watch, world } = watched();
    world.replies = { messages: 1, consumers: 1 };
    expect(await watch.canTrustSilence()).toBe(false);
    world.now = 10_001;
    expect(await watch.canTrustSilence()).toBe(true);
  });
});

test.each([
  ["ended before the outage", { overdue: 9_500, lasted: 4_000 }, false],
  ["ended in the outage", { overdue: 8_000, lasted: 4_000 }, true],
  ["lasted longer than the outage", { overdue: 2_000, lasted: 9_000 }, true],
  ["began after the outage", { overdue: 1_000, lasted: 2_000 }, false],
])("an attempt that %s: excused or not", (_, attempt, expected) => {
  const { watch, world } = watched();
  watch.look();
  Object.assign(world, { now: 1_000, isReady: false });
  watch.look();
  Object.assign(world, { now: 5_000, isReady: true });
  watch.look();
  world.now = 10_000;
  expect(watch.overlapsOutage(attempt)).toBe(expected);
});

describe("while a Scheduler cannot record its replies", () => {
  test("an attempt that ends counts no failure, even when the waiting time is over", async () => {
    const { watch, world } = watched();
    Object.assign(world, { now: 60_000, unrecorded: 1 });
    expect(await watch.canTrustSilence()).toBe(false);
    world.now = 70_001;
    expect(await watch.canTrustSilence()).toBe(true);
    expect(watch.overlapsOutage({ overdue: 10_000, lasted: 2_000 })).toBe(true);
    expect(watch.overlapsOutage({ overdue: 1_000, lasted: 2_000 })).toBe(true);
  });

  test("an attempt that had ended well before counts a failure", async () => {
    const { watch, world } = watched();
    Object.assign(world, { now: 60_000, unrecorded: 1 });
    await watch.canTrustSilence();
    expect(watch.overlapsOutage({ overdue: 4_000, lasted: 2_000 })).toBe(false);
  });

  test("an attempt that began after it counts a failure", async () => {
    const { watch, world } = watched();
    Object.assign(world, { now: 60_000, unrecorded: 1 });
    await watch.canTrustSilence();
    Object.assign(world, { now: 66_000, unrecorded: 0 });
    expect(await watch.canTrustSilence()).toBe(true);
    expect(watch.overlapsOutage({ overdue: 1_000, lasted: 2_000 })).toBe(false);
  });
});
