import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  type Calendar,
  type LastTask,
  onTime,
  type PlannedFire,
  planFires,
  type ScheduleState,
  type ScheduleTerms,
} from "./schedule.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 29, 12);

/** Instants at even distances, without those at each place of a cycle that is left out. */
function calendarFrom({ period, left }: { period: number; left: number }): Calendar {
  const isIn = (number: number) => left === 0 || number % left !== 0;
  const step = period * minute;
  const to = (instant: number, from: number, by: 1 | -1) => {
    let number = from;
    while (!isIn(number)) number += by;
    return start + number * step;
  };
  return {
    after: (instant) => to(instant, Math.floor((instant - start) / step) + 1, 1),
    upTo: (instant) => to(instant, Math.floor((instant - start) / step), -1),
  };
}

const terms = fc.record<ScheduleTerms>({
  overlap: fc.constantFrom("skip", "bufferOne", "allow"),
  catchUp: fc.constantFrom("last", "none", "all"),
  jitter: fc.constantFrom(0, 30_000, 3_600_000),
  pauseAfterFailures: fc.constantFrom(null, 1, 3),
});

/** What the world does between two looks. */
const looks = fc.array(
  fc.record({
    /** Milliseconds; some absences are of weeks. */
    later: fc.oneof(
      { arbitrary: fc.integer({ min: 0, max: 2 * minute }), weight: 8 },
      { arbitrary: fc.integer({ min: 0, max: 300 * minute }), weight: 2 },
      { arbitrary: fc.integer({ min: 0, max: 3_000 * minute }), weight: 1 },
    ),
    /** How the last task stands, if there is one that is open. */
    ends: fc.constantFrom<LastTask>("open", "open", "processed", "failed"),
    /** A process dies after it was planned: all is planned again, by a later clock. */
    crashes: fc.boolean(),
    /** Whether a person resumes it, if it is paused. */
    resumes: fc.boolean(),
  }),
  { maxLength: 60 },
);

interface World {
  now: number;
  state: ScheduleState;
  dueAt: number | null;
  last: LastTask;
  isPaused: boolean;
  readonly outcomes: Map<number, PlannedFire["outcome"]>;
  readonly firedAt: Map<number, number>;
}

/** What becomes of instants in a world, judged at each look. */
function runWorld(
  asked: ScheduleTerms,
  calendar: Calendar,
  course: readonly {
    later: number;
    ends: LastTask;
    crashes: boolean;
    resumes: boolean;
  }[],
): World {
  const offset = (instant: number): number =>
    asked.jitter === 0
      ? 0
      : (instant / minute) % Math.min(asked.jitter, calendar.after(instant)! - instant);
  const first = calendar.after(start);
  const world: World = {
    now: start,
    state: { next: first, buffered: null, failures: 0, skips: 0 },
    dueAt: first,
    last: "none",
    isPaused: false,
    outcomes: new Map(),
    firedAt: new Map(),
  };
  const resume = () => {
    const next = calendar.after(world.now);
    world.isPaused = false;
    world.state = { ...world.state, next, failures: 0, skips: 0 };
    world.dueAt = next;
  };
  const look = () => {
    const { now, state: before, last } = world;
    const planned = planFires(asked, before, { now, last, calendar, offset });
    for (const { instant, outcome } of planned.fires) {
      // Nothing fires before its time, and nothing that was dealt with is dealt with again.
      expect(instant + (outcome === "buffered" ? 0 : offset(instant))).toBeLessThanOrEqual(now);
      const known = world.outcomes.get(instant);
      if (known !== undefined) expect([known, before.buffered]).toEqual(["buffered", instant]);
      if (outcome === "fired" && asked.catchUp === "none" && known === undefined)
        expect(now - instant - offset(instant)).toBeLessThanOrEqual(onTime);
      world.outcomes.set(instant, outcome);
      if (outcome === "fired") world.firedAt.set(instant, now);
    }
    const instants = planned.fires.map(({ instant }) => instant);
    expect(new Set(instants).size).toBe(instants.length);
    if (asked.catchUp !== "all" && asked.overlap !== "bufferOne")
      expect(planned.fires.filter(({ outcome }) => outcome === "fired").length).toBeLessThan(2);
    const { next } = planned.state;
    expect(next).toBeGreaterThanOrEqual(before.next!);
    // All that has come was looked at, unless all are caught up with, and they are many.
    if (planned.trouble !== "paused" && instants.length < 100)
      expect(next! + offset(next!)).toBeGreaterThan(now);
    const waits = [...world.outcomes].filter(([, outcome]) => outcome === "buffered");
    expect(waits.map(([instant]) => instant)).toEqual(
      planned.state.buffered === null ? [] : [planned.state.buffered],
    );
    world.state = planned.state;
    world.dueAt = planned.dueAt;
    world.isPaused = planned.trouble === "paused";
    if (planned.fires.some(({ outcome }) => outcome === "fired")) world.last = "open";
    else if (last !== "open") world.last = "none";
  };
  for (const { later, ends, crashes, resumes } of course) {
    world.now += later;
    if (world.last === "open") world.last = ends;
    if (world.isPaused) {
      if (resumes) resume();
      continue;
    }
    if (crashes) {
      const { now, state, last } = world;
      planFires(asked, state, { now, last, calendar, offset });
      continue;
    }
    while (world.dueAt !== null && world.dueAt <= world.now) look();
  }
  return world;
}

test("each instant has one outcome, none comes before its time, and none twice, whatever happens", () => {
  const shapes = fc.record({
    period: fc.constantFrom(1, 5, 60, 1_440),
    left: fc.constantFrom(0, 3, 7),
  });
  fc.assert(
    fc.property(terms, shapes, looks, (asked, shape, course) => {
      const calendar = calendarFrom(shape);
      const { outcomes, state, isPaused } = runWorld(asked, calendar, course);
      if (isPaused || asked.catchUp !== "all") return;
      // Where all are caught up with, none is passed over, unless it was paused.
      if (asked.pauseAfterFailures !== null) return;
      for (let at = calendar.after(start)!; at < state.next!; at = calendar.after(at)!) {
        expect(outcomes.get(at)).toMatch(/^(?:fired|skipped|buffered)$/);
      }
    }),
    { numRuns: 150 },
  );
});

test("an absence of any length is caught up with by the last instant alone, or by none", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("last" as const, "none" as const),
      fc.integer({ min: 0, max: 500_000 }),
      fc.integer({ min: 0, max: minute - 1 }),
      (catchUp, minutes, more) => {
        const calendar = calendarFrom({ period: 1, left: 0 });
        const first = calendar.after(start)!;
        const now = first + minutes * minute + more;
        const asked = { overlap: "allow", catchUp, jitter: 0, pauseAfterFailures: null } as const;
        const before = { next: first, buffered: null, failures: 0, skips: 0 };
        const { fires, state } = planFires(asked, before, {
          now,
          last: "none",
          calendar,
          offset: () => 0,
        });
        const fired = fires.filter(({ outcome }) => outcome === "fired");
        expect(fired).toEqual([{ instant: calendar.upTo(now), outcome: "fired" }]);
        expect(state.next).toBe(calendar.after(now));
        expect(fires.length).toBeLessThanOrEqual(101);
      },
    ),
  );
});
