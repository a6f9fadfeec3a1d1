import { describe, expect, test } from "@jest/globals";
import {
  type Calendar,
  type LastTask,
  onTime,
  type PlannedFires,
  planFires,
  type ScheduleState,
  type ScheduleTerms,
} from "./schedule.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 29, 12);
/** The instant so many periods after the start. */
const at = (number: number): number => start + number * minute;

const everyMinute: Calendar = {
  after: (instant) => (Math.floor(instant / minute) + 1) * minute,
  upTo: (instant) => Math.floor(instant / minute) * minute,
};
/** Nothing comes from an instant on. */
const until = (end: number): Calendar => ({
  after: (instant) => {
    const next = everyMinute.after(instant)!;
    return next < end ? next : null;
  },
  upTo: (instant) => everyMinute.upTo(Math.min(instant, end - 1)),
});

const plain: ScheduleTerms = {
  overlap: "skip",
  catchUp: "last",
  jitter: 0,
  pauseAfterFailures: null,
};
const waiting: ScheduleState = { next: at(1), buffered: null, failures: 0, skips: 0 };

interface Asked extends Partial<ScheduleTerms>, Partial<ScheduleState> {
  readonly now?: number;
  readonly last?: LastTask;
  readonly calendar?: Calendar;
  readonly offset?: (instant: number) => number;
}

function plan({
  now = at(1),
  last = "none",
  calendar = everyMinute,
  offset = () => 0,
  overlap = plain.overlap,
  catchUp = plain.catchUp,
  jitter = plain.jitter,
  pauseAfterFailures = plain.pauseAfterFailures,
  ...state
}: Asked): PlannedFires {
  const terms = { overlap, catchUp, jitter, pauseAfterFailures };
  return planFires(terms, { ...waiting, ...state }, { now, last, calendar, offset });
}

/** What becomes of instants: `2 fired`, by the number of the instant. */
const outcomes = ({ fires }: PlannedFires): readonly string[] =>
  fires.map(({ instant, outcome }) => `${(instant - start) / minute} ${outcome}`);

/** All of these numbers with an outcome. */
const each = (from: number, to: number, outcome: string): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index} ${outcome}`);

describe("an instant", () => {
  test("fires when it has come, and the next is that after it", () => {
    const planned = plan({ now: at(1) + 400 });
    expect(outcomes(planned)).toEqual(["1 fired"]);
    expect(planned).toMatchObject({ state: { next: at(2) }, dueAt: at(2), trouble: null });
  });

  test("does not fire before it has come", () => {
    const planned = plan({ now: at(1) - 1 });
    expect(planned).toEqual({ fires: [], state: waiting, dueAt: at(1), trouble: null });
  });

  test("fires when its offset has passed, too", () => {
    const offset = () => 30_000;
    expect(outcomes(plan({ now: at(1) + 29_999, offset }))).toEqual([]);
    const planned = plan({ now: at(1) + 30_000, offset });
    expect(outcomes(planned)).toEqual(["1 fired"]);
    expect(planned.dueAt).toBe(at(2) + 30_000);
  });

  test("may be the last of all", () => {
    const calendar = until(at(2));
    const planned = plan({ calendar });
    expect(outcomes(planned)).toEqual(["1 fired"]);
    expect(planned).toMatchObject({ state: { next: null }, dueAt: null });
    expect(outcomes(plan({ next: null, now: at(9), calendar }))).toEqual([]);
  });
});

describe("after an absence", () => {
  test("the last instant fires, and the others are missed", () => {
    const planned = plan({ now: at(4) + 30_000 });
    expect(outcomes(planned)).toEqual([...each(1, 3, "missed"), "4 fired"]);
    expect(planned.state.next).toBe(at(5));
  });

  test("none fires that is late, where none is to be caught up with", () => {
    const late = plan({ catchUp: "none", now: at(4) + onTime - 1, calendar: until(at(4)) });
    expect(outcomes(late)).toEqual(each(1, 3, "missed"));
    const inTime = plan({ catchUp: "none", now: at(4) + onTime - 1 });
    expect(outcomes(inTime)).toEqual([...each(1, 3, "missed"), "4 fired"]);
  });

  test("a minute is not late yet, and more is", () => {
    const once = { catchUp: "none" as const, calendar: until(at(2)) };
    expect(outcomes(plan({ ...once, now: at(1) + onTime }))).toEqual(["1 fired"]);
    expect(outcomes(plan({ ...once, now: at(1) + onTime + 1 }))).toEqual(["1 missed"]);
  });

  test("all fire, where all are to be caught up with", () => {
    const planned = plan({ catchUp: "all", overlap: "allow", now: at(4) });
    expect(outcomes(planned)).toEqual(each(1, 4, "fired"));
  });

  test("a hundred at a time are caught up with, the oldest first, and then at once the others", () => {
    const planned = plan({ catchUp: "all", overlap: "allow", now: at(250) });
    expect(outcomes(planned)).toEqual(each(1, 100, "fired"));
    expect(planned).toMatchObject({ state: { next: at(101) }, dueAt: at(101) });
  });

  test.each(["last", "none"] as const)(
    "however long it was, one fires at most (%s), and none follows at once",
    (catchUp) => {
      const planned = plan({ catchUp, now: at(100_000) });
      expect(outcomes(planned)).toEqual([...each(1, 100, "missed"), "100000 fired"]);
      expect(planned.state.next).toBe(at(100_001));
    },
  );

  test("however long it was, the last fires whose offset has passed", () => {
    const offset = (instant: number) => (instant === at(100_000) ? 30_000 : 10_000);
    const planned = plan({ now: at(100_000) + 20_000, offset });
    expect(outcomes(planned)).toEqual([...each(1, 100, "missed"), "99999 fired"]);
    expect(planned).toMatchObject({ state: { next: at(100_000) }, dueAt: at(100_000) + 30_000 });
  });

  test("the hundred-and-first alone is the last", () => {
    const offset = (instant: number) => (instant === at(102) ? 30_000 : 0);
    const planned = plan({ now: at(102), offset });
    expect(outcomes(planned)).toEqual([...each(1, 100, "missed"), "101 fired"]);
    expect(planned.state.next).toBe(at(102));
  });
});

describe("while the last task is open, an instant", () => {
  test("is skipped", () => {
    const planned = plan({ last: "open" });
    expect(outcomes(planned)).toEqual(["1 skipped"]);
    expect(planned.state).toMatchObject({ next: at(2), skips: 1, buffered: null });
  });

  test("waits for its end, where one is to, and is looked at every few seconds", () => {
    const planned = plan({ overlap: "bufferOne", last: "open" });
    expect(outcomes(planned)).toEqual(["1 buffered"]);
    expect(planned).toMatchObject({ state: { buffered: at(1), skips: 0 }, dueAt: at(1) + 5_000 });
  });

  test("fires all the same, where that is allowed", () => {
    expect(outcomes(plan({ overlap: "allow", last: "open" }))).toEqual(["1 fired"]);
  });

  test("takes the place of one that waits, which is skipped", () => {
    const planned = plan({ overlap: "bufferOne", last: "open", buffered: at(0), skips: 1 });
    expect(outcomes(planned)).toEqual(["0 skipped", "1 buffered"]);
    expect(planned.state).toMatchObject({ buffered: at(1), skips: 2 });
  });

  test("is not skipped if it was missed", () => {
    const calendar = until(at(2));
    const planned = plan({ last: "open", catchUp: "none", now: at(9), calendar });
    expect(outcomes(planned)).toEqual(["1 missed"]);
    expect(planned.state.skips).toBe(0);
  });
});

describe("an instant that waits", () => {
  test.each(["processed", "failed", "none"] as const)("fires once the last task is %s", (last) => {
    const planned = plan({ overlap: "bufferOne", last, buffered: at(0), now: at(0) + 9_000 });
    expect(outcomes(planned)).toEqual(["0 fired"]);
    expect(planned).toMatchObject({ state: { buffered: null, next: at(1) }, dueAt: at(1) });
  });

  test("fires before those that have come since, which find its task open", () => {
    const planned = plan({ overlap: "bufferOne", last: "processed", buffered: at(0) });
    expect(outcomes(planned)).toEqual(["0 fired", "1 buffered"]);
  });

  test("waits on while nothing has ended", () => {
    const state = { overlap: "bufferOne", last: "open", buffered: at(0) } as const;
    const planned = plan({ ...state, now: at(1) - 1 });
    expect(planned).toMatchObject({ fires: [], state: { buffered: at(0) }, dueAt: at(1) });
  });
});

test("each instant that all are caught up with has one outcome, though one waits after the other", () => {
  const planned = plan({ catchUp: "all", overlap: "bufferOne", now: at(4) });
  expect(outcomes(planned)).toEqual(["1 fired", "2 skipped", "3 skipped", "4 buffered"]);
  // The task has only just been submitted.
  expect(planned).toMatchObject({ state: { skips: 0 }, trouble: null });
});

describe("a person is alerted", () => {
  const skipping = (skips: number, overlap: "skip" | "bufferOne" = "skip") =>
    plan({ last: "open", overlap, skips, buffered: overlap === "skip" ? null : at(0) });

  test("when the third instant in a row is skipped, and once", () => {
    expect([0, 1, 2, 3, 4].map((skips) => skipping(skips).trouble)).toEqual([
      null,
      null,
      "blocked",
      null,
      null,
    ]);
  });

  test("also where one waits for the end of the task", () => {
    expect(skipping(2, "bufferOne").trouble).toBe("blocked");
  });

  test("also where several are skipped at a time", () => {
    const planned = plan({ catchUp: "all", last: "open", now: at(5), skips: 1 });
    expect(outcomes(planned)).toEqual(each(1, 5, "skipped"));
    expect(planned).toMatchObject({ state: { skips: 6 }, trouble: "blocked" });
  });

  test("but not where the task has only just been submitted", () => {
    const planned = plan({ catchUp: "all", now: at(5) });
    expect(outcomes(planned)).toEqual(["1 fired", ...each(2, 5, "skipped")]);
    expect(planned).toMatchObject({ state: { skips: 0 }, trouble: null });
  });
});

describe("failures", () => {
  test("are counted in a row", () => {
    expect(plan({ last: "failed", failures: 1 }).state.failures).toBe(2);
    expect(plan({ last: "processed", failures: 1 }).state.failures).toBe(0);
    expect(plan({ last: "open", failures: 1 }).state.failures).toBe(1);
    expect(plan({ last: "none", failures: 1 }).state.failures).toBe(1);
  });

  test("pause it when they are so many, before anything fires", () => {
    const failed = { last: "failed", pauseAfterFailures: 3 } as const;
    expect(plan({ ...failed, failures: 1 }).trouble).toBeNull();
    const planned = plan({ ...failed, failures: 2 });
    expect(planned).toMatchObject({ fires: [], dueAt: null, trouble: "paused" });
    expect(planned.state).toEqual({ ...waiting, failures: 0 });
  });

  test("have nothing wait any longer when they pause it", () => {
    const waits = { overlap: "bufferOne", buffered: at(0) } as const;
    const planned = plan({ ...waits, last: "failed", pauseAfterFailures: 1 });
    expect(outcomes(planned)).toEqual(["0 skipped"]);
    expect(planned).toMatchObject({ state: { buffered: null }, dueAt: null, trouble: "paused" });
  });
});
