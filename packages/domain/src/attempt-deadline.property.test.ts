import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { type AttemptSign, type AttemptTimes, completeByOf, noteSign } from "./attempt-deadline.ts";

const claimedAt = 1_000_000;

const plans = fc
  .record({
    startWithin: fc.integer({ min: 1, max: 60_000 }),
    completeWithin: fc.integer({ min: 1, max: 60_000 }),
    extension: fc.option(fc.integer({ min: 0, max: 600_000 })),
  })
  .map(({ startWithin, completeWithin, extension }) => ({
    startWithin,
    completeWithin,
    ...(extension === null ? {} : { extendUpTo: completeWithin + extension }),
  }));

type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;
interface Received extends AttemptSign {
  /** Milliseconds since the one before it. */
  readonly later: number;
}

const signs = fc.array(
  fc.record({
    later: fc.integer({ min: 0, max: 100_000 }),
    runningFor: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    beats: fc.boolean(),
  }),
  { maxLength: 20 },
);

/** The attempt after each sign, as the store keeps it. */
function attempt(plan: Plan, received: readonly Received[]) {
  const startBy = claimedAt + plan.startWithin;
  let step = { plan, startBy, completeBy: startBy + plan.completeWithin };
  let times: AttemptTimes | null = null;
  let now = claimedAt;
  return received.map((sign) => {
    now += sign.later;
    const before = step.completeBy;
    times = noteSign(step, times, { ...sign, now });
    step = { ...step, completeBy: completeByOf(step, times, now) };
    return { now, sign, times, before, completeBy: step.completeBy, startBy };
  });
}

test("no Agent extends an attempt beyond the cap of its step, whatever it says and how often", () => {
  fc.assert(
    fc.property(plans, signs, (plan, received) => {
      const { completeWithin, extendUpTo = completeWithin } = plan;
      for (const { completeBy, startBy } of attempt(plan, received)) {
        expect(completeBy).toBeLessThanOrEqual(startBy + Math.max(completeWithin, extendUpTo));
      }
    }),
  );
});

test("without heartbeats an attempt has its time from its start, and no more than it had", () => {
  fc.assert(
    fc.property(plans, signs, (plan, received) => {
      const silent = received.map((sign) => ({ ...sign, beats: false }));
      for (const { now, times, before, completeBy, startBy } of attempt(plan, silent)) {
        const fromStart = times.startedAt + plan.completeWithin;
        expect(completeBy).toBe(Math.max(fromStart, Math.min(now, before)));
        expect(completeBy).toBeLessThanOrEqual(startBy + plan.completeWithin);
      }
    }),
  );
});

test("a heartbeat gives the attempt all of completeWithin, unless that is beyond the cap", () => {
  fc.assert(
    fc.property(plans, signs, (plan, received) => {
      const { completeWithin, extendUpTo } = plan;
      if (extendUpTo === undefined) return;
      for (const { now, sign, times, completeBy } of attempt(plan, received)) {
        if (!sign.beats) continue;
        const cap = times.startedAt + extendUpTo;
        expect(completeBy).toBeGreaterThanOrEqual(Math.min(now + completeWithin, cap));
      }
    }),
  );
});

test("no sign moves a deadline into the past, where no scan would look", () => {
  fc.assert(
    fc.property(plans, signs, (plan, received) => {
      for (const { now, before, completeBy } of attempt(plan, received)) {
        expect(completeBy).toBeGreaterThanOrEqual(Math.min(now, before));
      }
    }),
  );
});
