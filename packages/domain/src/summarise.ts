import { isDone, isSettled, type Step } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Goal, TaskState } from "./task.ts";

/** The state of a task is never set: it follows from its goal and its steps. Total. */
export function summarise(goal: Goal, steps: Iterable<Step>): TaskState {
  return goal === "do" ? summariseDoing([...steps]) : summariseUndoing([...steps]);
}

function summariseDoing(steps: readonly Step[]): TaskState {
  if (steps.some((step) => step.processState === "error")) return "halted";
  if (steps.every(isDone)) return "processed";
  return steps.some((step) => step.attempt > 0) ? "processing" : "pending";
}

function summariseUndoing(steps: readonly Step[]): TaskState {
  const undos = steps.filter((step) => stepKinds[step.plan.kind].goal === "undo");
  if (undos.some((step) => step.processState === "error")) return "halted";
  const over = undos.every(isDone) && steps.every(isSettled);
  return over ? "undone" : "undoing";
}
