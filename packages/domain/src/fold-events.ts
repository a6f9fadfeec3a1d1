import type { Change } from "./change.ts";
import { decide } from "./decide.ts";
import type { DecisionContext } from "./decision.ts";
import type { Json } from "./json.ts";
import type { Task } from "./task.ts";
import type { Rejection, TaskEvent } from "./task-event.ts";
import { lookupIn, type TaskValues } from "./template.ts";

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

/** Something that happened, with what the step returned if it completed. */
export interface ReportedEvent {
  readonly event: TaskEvent;
  readonly output?: Json;
}

interface FoldOptions extends Pick<DecisionContext, "now" | "random"> {
  /** What the task's conditions may look at, as far as it is saved; null: nothing may be seen. */
  readonly values: TaskValues | null;
}

/**
 * Decides events one after the other, each on the task that the one before it left: a batch may well
 * hold both branches of a join, or one reply twice. What cannot be decided parks its own step, and
 * no other task of the batch suffers for it.
 */
export function foldEvents(
  task: Task,
  reported: readonly ReportedEvent[],
  { now, random, values }: FoldOptions,
): Folded {
  let current = task;
  let known = values;
  const changes: Change[] = [];
  const outcomes = reported.map((report): Outcome => {
    const returned = withOutput(known, report);
    const context = { now, random, valueOf: returned === null ? null : lookupIn(returned) };
    const { task: next, outcome, moves } = fold(current, report.event, context);
    current = next;
    if (outcome.applied) known = returned;
    changes.push(...moves);
    return outcome;
  });
  return { task: current, changes, outcomes };
}

function withOutput(
  values: TaskValues | null,
  { event, output }: ReportedEvent,
): TaskValues | null {
  if (values === null || output === undefined || !("step" in event)) return values;
  return { ...values, outputs: new Map(values.outputs).set(event.step, output) };
}

interface Fold {
  readonly task: Task;
  readonly outcome: Outcome;
  readonly moves: readonly Change[];
}

function fold(task: Task, event: TaskEvent, context: DecisionContext): Fold {
  try {
    const decision = decide(task, event, context);
    return decision.applied
      ? { task: decision.task, outcome: decision, moves: decision.changes }
      : { task, outcome: decision, moves: [] };
  } catch (cause) {
    const { parked, moves } = park(task, event, context);
    return { task: parked, outcome: { applied: false, reason: "undecidable", cause }, moves };
  }
}

function park(
  task: Task,
  event: TaskEvent,
  context: DecisionContext,
): { parked: Task; moves: readonly Change[] } {
  if (!("token" in event) || event.kind === "claimed") return { parked: task, moves: [] };
  const { step, attempt, token } = event;
  const code = "scheduler.undecidable";
  const decision = decide(task, { kind: "parked", code, step, attempt, token }, context);
  return decision.applied
    ? { parked: decision.task, moves: decision.changes }
    : { parked: task, moves: [] };
}
