import type { Step, WaitingStep } from "./step.ts";
import { isDone, isSettled } from "./summarise.ts";
import { stepsOf, type Task } from "./task.ts";
import { undoNameOf } from "./workflow-plan.ts";

/**
 * Every step that may start now. Looks at the whole task and not at what just happened, so that
 * nothing depends on an event being seen: planning again never hurts.
 */
export function plan(task: Task): readonly WaitingStep[] {
  if (task.paused) return [];
  const waiting = stepsOf(task).filter((step) => step.processState === "waiting");
  return task.goal === "do"
    ? waiting.filter((step) => mayStart(task, step))
    : waiting.filter((step) => mayUndo(task, step));
}

/** A task that halted starts nothing new until an operator has looked at it. */
function mayStart(task: Task, step: WaitingStep): boolean {
  if (stepsOf(task).some((other) => other.processState === "error")) return false;
  return step.admitted && isReached(task, step);
}

/** Whether all steps before it are done. */
export function isReached(task: Task, step: Step): boolean {
  return step.plan.after.every((name) => {
    const before = task.steps.get(name);
    return before !== undefined && isDone(before);
  });
}

/**
 * A call is undone once it has settled and all that was dispatched after it has settled and is
 * undone: in reverse order, parallel branches in parallel, and never beside its own do.
 */
function mayUndo(task: Task, step: WaitingStep): boolean {
  const { undoes } = step.plan;
  const call = undoes === null ? undefined : task.steps.get(undoes);
  if (call === undefined || undoes === null || !isSettled(call)) return false;
  return (task.workflow.downstream.get(undoes) ?? []).every((name) => isGone(task, name));
}

function isGone(task: Task, name: string): boolean {
  const call = task.steps.get(name);
  if (call === undefined || call.attempt === 0) return true;
  const undo = task.steps.get(undoNameOf(name));
  return isSettled(call) && (undo === undefined || isDone(undo));
}
