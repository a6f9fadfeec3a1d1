import type { Instant } from "./step.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** What may happen at an instant while the last task of the schedule has not ended. */
export const overlaps = ["skip", "bufferOne", "allow"] as const;
export type Overlap = (typeof overlaps)[number];

/** Which instants may fire that came while nothing could fire them. */
export const catchUps = ["last", "none", "all"] as const;
export type CatchUp = (typeof catchUps)[number];

/** What may become of an instant. `buffered`: it waits for the end of the last task. */
export const fireOutcomes = ["fired", "missed", "skipped", "buffered"] as const;
export type FireOutcome = (typeof fireOutcomes)[number];

/** How a schedule fires. */
export interface ScheduleTerms {
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  /** How long after an instant it may fire, so that many schedules do not at once. */
  readonly jitter: Milliseconds;
  /** How many tasks in a row may fail before it is paused; null: any number. */
  readonly pauseAfterFailures: number | null;
}

/** How the last task of a schedule stands. `failed`: it was undone, has halted, or was refused. */
export type LastTask = "none" | "open" | "processed" | "failed";

/** What a schedule has come to. */
export interface ScheduleState {
  /** The first instant that it has not dealt with; null: there is none any more. */
  readonly next: Instant | null;
  /** The instant that waits for the end of the last task; null: none does. */
  readonly buffered: Instant | null;
  /** How many tasks have failed in a row. */
  readonly failures: number;
  /** How many instants in a row were skipped that found the same task open. */
  readonly skips: number;
}

/** The instants that a schedule says. */
export interface Calendar {
  /** The first one after an instant; null: there is none. */
  after(instant: Instant): Instant | null;
  /** The last one at an instant or before it; null: there is none. */
  upTo(instant: Instant): Instant | null;
}

/** What becomes of one instant. */
export interface PlannedFire {
  readonly instant: Instant;
  readonly outcome: FireOutcome;
}

/** What a schedule does now. */
export interface PlannedFires {
  readonly fires: readonly PlannedFire[];
  readonly state: ScheduleState;
  /** When it is to be looked at again; null: never. */
  readonly dueAt: Instant | null;
  /** What a person is to know; null: nothing. `paused`: it fires no more until it is resumed. */
  readonly trouble: "blocked" | "paused" | null;
}

interface Now {
  readonly now: Instant;
  readonly last: LastTask;
  readonly calendar: Calendar;
  /**
   * How long after an instant it fires: the same for the same instant, no longer than the jitter,
   * and so short that it fires before the next instant comes.
   */
  readonly offset: (instant: Instant) => Milliseconds;
}

/** How late an instant may be, and counts as none that was missed. */
export const onTime: Milliseconds = 60_000;
/** How many instants are dealt with at a time. */
const mostFires = 100;
/** How many skips in a row a person is alerted to. */
export const blockedAfter = 3;
/** How long it is until it is looked again whether the last task has ended. */
const lookAgainAfter: Milliseconds = 5_000;

/** What a schedule does about all instants that have come. Pure; says the same for the same. */
export function planFires(terms: ScheduleTerms, before: ScheduleState, at: Now): PlannedFires {
  const failures = failuresAfter(before, at.last);
  const { pauseAfterFailures } = terms;
  if (pauseAfterFailures !== null && failures >= pauseAfterFailures) {
    return paused(before);
  }
  const due = dueInstants(terms, before.next, at);
  const wanted = caughtUp(terms, due.instants, at);
  const folded = foldFires(terms, before, { wanted, isOpen: at.last === "open" });
  const next = due.next;
  const state = { next, buffered: folded.buffered, failures, skips: folded.skips };
  const times = [
    ...(next === null ? [] : [next + at.offset(next)]),
    ...(folded.buffered === null ? [] : [at.now + lookAgainAfter]),
  ];
  return {
    fires: folded.fires,
    state,
    dueAt: times.length === 0 ? null : Math.min(...times),
    trouble: before.skips < blockedAfter && folded.skips >= blockedAfter ? "blocked" : null,
  };
}

/** It is paused, and what waits for the end of the last task waits no longer. */
function paused(before: ScheduleState): PlannedFires {
  const { buffered } = before;
  return {
    fires: buffered === null ? [] : [{ instant: buffered, outcome: "skipped" }],
    state: { ...before, buffered: null, failures: 0 },
    dueAt: null,
    trouble: "paused",
  };
}

/** The failures in a row once the last task has ended. */
function failuresAfter({ failures }: ScheduleState, last: LastTask): number {
  if (last === "failed") return failures + 1;
  return last === "processed" ? 0 : failures;
}

interface DueInstants {
  /** The oldest first; where there are more than fit, the last of all ends them. */
  readonly instants: readonly Instant[];
  readonly next: Instant | null;
}

/**
 * The instants that have come, with their offset, so many at a time. Where only the last is caught
 * up with, the others of a long absence are passed over.
 */
function dueInstants(
  { catchUp }: ScheduleTerms,
  first: Instant | null,
  { now, calendar, offset }: Now,
): DueInstants {
  const instants: Instant[] = [];
  let next = first;
  while (next !== null && next + offset(next) <= now) {
    if (instants.length === mostFires) {
      if (catchUp === "all") break;
      const last = lastDue(next, { now, calendar, offset });
      return { instants: [...instants, last], next: calendar.after(last) };
    }
    instants.push(next);
    next = calendar.after(next);
  }
  return { instants, next };
}

/** The last instant that has come with its offset, of which `first` is one. */
function lastDue(first: Instant, { now, calendar, offset }: Omit<Now, "last">): Instant {
  const last = calendar.upTo(now);
  if (last === null || last <= first) return first;
  if (last + offset(last) <= now) return last;
  // What is before it has come: it fires before the next instant comes.
  return Math.max(first, calendar.upTo(last - 1) ?? first);
}

/** Which of the instants that have come are to fire, by how the schedule catches up. */
function caughtUp(
  { catchUp }: ScheduleTerms,
  instants: readonly Instant[],
  { now, offset }: Now,
): readonly { readonly instant: Instant; readonly fires: boolean }[] {
  const last = instants.at(-1);
  return instants.map((instant) => {
    const isLate = now - (instant + offset(instant)) > onTime;
    const fires = catchUp === "all" || (instant === last && (catchUp === "last" || !isLate));
    return { instant, fires };
  });
}

interface Folded {
  readonly fires: readonly PlannedFire[];
  readonly buffered: Instant | null;
  readonly skips: number;
}

/**
 * Deals with one instant after the other: each finds the task open that the one before fired. An
 * instant is among the fires once, with what became of it in the end.
 */
function foldFires(
  { overlap }: ScheduleTerms,
  before: ScheduleState,
  {
    wanted,
    isOpen: wasOpen,
  }: {
    readonly wanted: ReturnType<typeof caughtUp>;
    readonly isOpen: boolean;
  },
): Folded {
  const fires = new Map<Instant, PlannedFire["outcome"]>();
  let { buffered, skips } = before;
  let isOpen = wasOpen;
  let hasFired = false;
  const fire = (instant: Instant): void => {
    fires.set(instant, "fired");
    isOpen = true;
    hasFired = true;
    skips = 0;
  };
  const skip = (instant: Instant): void => {
    fires.set(instant, "skipped");
    // A task that has just been submitted blocks nothing yet.
    if (!hasFired) skips += 1;
  };
  if (buffered !== null && !isOpen) {
    fire(buffered);
    buffered = null;
  }
  for (const { instant, fires: isToFire } of wanted) {
    if (!isToFire) fires.set(instant, "missed");
    else if (overlap === "allow" || !isOpen) fire(instant);
    else if (overlap === "bufferOne") {
      if (buffered !== null) skip(buffered);
      fires.set(instant, "buffered");
      buffered = instant;
    } else skip(instant);
  }
  return {
    fires: [...fires].map(([instant, outcome]) => ({ instant, outcome })),
    buffered,
    skips,
  };
}
