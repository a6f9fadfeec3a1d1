import type { Instant } from "./step.ts";
import type { Change } from "./step-transitions.ts";
import type { Task } from "./task.ts";
import type { Rejection } from "./task-event.ts";
import type { Lookup } from "./template.ts";

/** All that a decision may ask of the world. */
export interface DecisionContext {
  /** The state store's clock, read after the task was locked. */
  readonly now: Instant;
  /** Returns a number in [0, 1), for jitter. */
  readonly random: () => number;
  /**
   * What `/input/…` or `/steps/…` holds, for the conditions of steps just reached. Null: the
   * payloads were not loaded; then nothing is reached either, and no condition is evaluated.
   */
  readonly valueOf: Lookup | null;
}

/** The task after an event and each move that led there, or why the event means nothing to it. */
export type Decision =
  | { readonly applied: true; readonly task: Task; readonly changes: readonly Change[] }
  | { readonly applied: false; readonly reason: Rejection };

/** The event means nothing to the task: it is late, double or foreign. */
export const rejected = (reason: Rejection): Decision => ({ applied: false, reason });
