import type { Change } from "./change.ts";
import type { Instant } from "./step.ts";
import type { Task } from "./task.ts";
import type { Rejection } from "./task-event.ts";
import type { Lookup } from "./template.ts";

/** All that a decision may ask of the world. */
export interface Surroundings {
  /** The state store's clock, read after the task was locked. */
  readonly now: Instant;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /**
   * What `/input/…` or `/steps/…` holds, for the conditions of steps just reached. Null: whoever
   * decides may not see payloads; then nothing is reached either, and conditions are left alone.
   */
  readonly valueOf: Lookup | null;
}

/** The task after an event and each move that led there, or why the event means nothing to it. */
export type Decision =
  | { readonly applied: true; readonly task: Task; readonly changes: readonly Change[] }
  | { readonly applied: false; readonly reason: Rejection };
