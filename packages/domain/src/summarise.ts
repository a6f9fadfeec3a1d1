import type { Step, StepState } from "./step.ts";
import type { Goal, TaskState } from "./task.ts";

/** Nothing more will happen to a call in this state while the task is being undone. */
const settled: ReadonlySet<StepState> = new Set(["processed", "error", "skipped", "cancelled"]);
const done: ReadonlySet<StepState> = new Set(["processed", "skipped"]);

export const isSettled = (step: Step): boolean => settled.has(step.processState);
/** Skipped counts as done, for what comes after and for joins too. */
export const isDone = (step: Step): boolean => done.has(step.processState);

/** The state of a task is never set: it follows from its goal and its steps. Total. */
export function summarise(goal: Goal, steps: Iterable<Step>): TaskState {
  return goal === "do" ? summariseDoing([...steps]) : summariseUndoing([...steps]);
}

function summariseDoing(steps: readonly Step[]): TaskState {
  if (steps.some((step) => step.processState === "error")) return "error";
  if (steps.every(isDone)) return "processed";
  return steps.some((step) => step.attempt > 0) ? "processing" : "pending";
}

function summariseUndoing(steps: readonly Step[]): TaskState {
  const compensations = steps.filter((step) => step.plan.kind === "compensation");
  if (compensations.some((step) => step.processState === "error")) return "error";
  const over = compensations.every(isDone) && steps.every(isSettled);
  return over ? "compensated" : "compensating";
}
