import type { TaskEvent } from "./task-event.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** The states of the circuit breaker of a remote service. All Schedulers share it. */
export const breakerStates = ["closed", "open", "half-open"] as const;
export type BreakerState = (typeof breakerStates)[number];

/** The time for which a breaker is open the first time. Each probe that fails doubles it. */
const firstOpening: Milliseconds = 5_000;
const longestOpening: Milliseconds = 60_000;

/** The time for which a breaker is open that has opened so often in a row. */
export const openForAfter = (openings: number): Milliseconds =>
  Math.min(longestOpening, firstOpening * 2 ** Math.min(Math.max(openings, 1) - 1, 10));

/**
 * The longest that all Schedulers leave a remote service alone at its own request. Then they try
 * again.
 */
export const longestThrottle: Milliseconds = 60_000;
/** A remote service that asks for less delays the one step that asked. */
export const shortestThrottle: Milliseconds = 100;

/** What the end of an attempt says of the remote service; null: nothing. */
export type Evidence = "answered" | "failed" | null;

/**
 * A refusal is an answer, and so is when to come back. An attempt that did not call says nothing,
 * nor does one that ended in silence: its Agent may have died.
 */
export function evidenceOf(event: TaskEvent): Evidence {
  if (event.kind === "completed") return "answered";
  if (event.kind !== "failed" || !event.attempted) return null;
  return event.transient && event.paces !== true ? "failed" : "answered";
}

/** Failures in a row, and from the first of them to the last, until a breaker opens. */
const failuresInARow = 10;
const failingFor: Milliseconds = 1_000;

/** Failures without an answer between them. */
export interface FailureStreak {
  readonly failures: number;
  /** When the first of them came. */
  readonly since: Milliseconds;
}

/** What an attempt makes of the failures before it. Null: there are none. */
export function nextStreak(
  streak: FailureStreak | null,
  evidence: Evidence,
  now: Milliseconds,
): FailureStreak | null {
  if (evidence === null) return streak;
  if (evidence === "answered") return null;
  return { failures: (streak?.failures ?? 0) + 1, since: streak?.since ?? now };
}

/**
 * A single instance that fails at once never fills a second: its own breaker opens before, and
 * others answer.
 */
export const mustOpen = (streak: FailureStreak | null, now: Milliseconds): boolean =>
  streak !== null && streak.failures >= failuresInARow && now - streak.since >= failingFor;

const rampFrom = 4;
const rampDoubling: Milliseconds = 250;

/**
 * How many steps may be in flight to a remote service that was left alone until so many
 * milliseconds ago: what has waited comes in growing numbers.
 */
export const rampLimit = (age: Milliseconds): number =>
  Math.floor(rampFrom * 2 ** Math.min(Math.max(age, 0) / rampDoubling, 30));

/** The age of a ramp from which on it limits nothing. */
export const rampEnd: Milliseconds = 10_000;
