import { expect, test } from "@jest/globals";
import { testClock } from "../../test/clock.ts";
import { limitsOf, slots, type World } from "../../test/limits.ts";

const urgentSlots = (
  limits: Awaited<ReturnType<typeof limitsOf>>,
  freed: readonly string[] = [],
): number => limits.urgentCapacity(freed)[0]?.slots ?? 0;

test("urgent steps may be claimed beyond the limit, by a tenth of it", async () => {
  const limits = await limitsOf({ slots: [10], inFlight: 20, maxInFlight: 200 });
  await limits.round();
  expect([slots(limits), urgentSlots(limits)]).toEqual([0, 2]);
  limits.claimed("payments", 0);
  limits.claimed("payments", 0);
  expect([urgentSlots(limits), urgentSlots(limits, ["payments"])]).toEqual([0, 1]);
});

test("urgent steps are not claimed either while the breaker is open", async () => {
  const limits = await limitsOf({
    breakers: [
      {
        service: "payments",
        state: "open",
        reason: "",
        held: false,
        openFor: 5_000,
        throttledFor: null,
        age: 0,
      },
    ],
  });
  expect(limits.urgentCapacity(["payments"])).toEqual([]);
});

test.each([
  ["one that answers at once", 0, 25],
  ["one with all slots taken", 100, 200],
  ["one that sends no heartbeats", null, 200],
])(
  "while urgent steps come, of %s others may have so many in flight",
  async (_, busy, expected) => {
    const clock = testClock();
    const world: World = {
      clock,
      maxInFlight: 200,
      slots: busy === null ? null : [100],
      busy: busy ?? 0,
    };
    const limits = await limitsOf(world);
    await limits.round();
    expect(slots(limits)).toBe(200);
    limits.claimed("shipping", clock.now(), "urgent");
    expect(slots(limits)).toBe(expected);
    clock.pass(2_000);
    expect(slots(limits)).toBe(200);
  },
);

test("urgent steps that another Scheduler has claimed show in the next count", async () => {
  const clock = testClock();
  const world: { urgent: number } & World = {
    clock,
    slots: [100],
    maxInFlight: 200,
    inFlight: 1,
    urgent: 0,
  };
  const limits = await limitsOf(world);
  await limits.round();
  expect(limits.areUrgentExpected()).toBe(false);
  world.urgent = 1;
  clock.pass(1_000);
  await limits.round();
  expect(limits.areUrgentUnderWay()).toBe(true);
});
