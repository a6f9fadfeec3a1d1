import type { Change } from "./change.ts";
import { decide } from "./decide.ts";
import type { Surroundings } from "./decision.ts";
import type { Task } from "./task.ts";
import type { Rejection, TaskEvent } from "./task-event.ts";

/** What became of one event. `undecidable`: deciding threw, and the step was parked for a person. */
export type Outcome =
  | { readonly applied: true; readonly changes: readonly Change[] }
  | {
      readonly applied: false;
      readonly reason: Rejection | "undecidable";
      readonly cause?: unknown;
    };

export interface Folded {
  readonly task: Task;
  readonly changes: readonly Change[];
  /** One for each event, in their order. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Decides events one after the other, each on the task that the one before it left: a batch may well
 * hold both branches of a join, or one reply twice. What cannot be decided parks its own step, and
 * no other task of the batch suffers for it.
 */
export function foldEvents(task: Task, events: readonly TaskEvent[], around: Surroundings): Folded {
  let current = task;
  const changes: Change[] = [];
  const outcomes = events.map((event): Outcome => {
    const { task: next, outcome, moves } = fold(current, event, around);
    current = next;
    changes.push(...moves);
    return outcome;
  });
  return { task: current, changes, outcomes };
}

interface Fold {
  readonly task: Task;
  readonly outcome: Outcome;
  readonly moves: readonly Change[];
}

function fold(task: Task, event: TaskEvent, around: Surroundings): Fold {
  try {
    const decision = decide(task, event, around);
    return decision.applied
      ? { task: decision.task, outcome: decision, moves: decision.changes }
      : { task, outcome: decision, moves: [] };
  } catch (cause) {
    const { parked, moves } = park(task, event, around);
    return { task: parked, outcome: { applied: false, reason: "undecidable", cause }, moves };
  }
}

function park(
  task: Task,
  event: TaskEvent,
  around: Surroundings,
): { parked: Task; moves: readonly Change[] } {
  if (!("token" in event) || event.kind === "claimed") return { parked: task, moves: [] };
  const { step, attempt, token } = event;
  const code = "scheduler.undecidable";
  const decision = decide(task, { kind: "parked", code, step, attempt, token }, around);
  return decision.applied
    ? { parked: decision.task, moves: decision.changes }
    : { parked: task, moves: [] };
}
