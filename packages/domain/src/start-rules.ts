import { isDone, isSettled, type Step, type WaitingStep } from "./step.ts";
import { stepsOf, type Task } from "./task.ts";
import { undoNameOf } from "./workflow-plan.ts";

/** A call starts after the steps before it. A task that halted starts none until an operator has looked at it. */
export function mayStartCall(task: Task, step: WaitingStep): boolean {
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
export function mayStartUndo(task: Task, step: WaitingStep): boolean {
  const { undoes } = step.plan;
  const call = undoes === null ? undefined : task.steps.get(undoes);
  if (call === undefined || undoes === null || !isSettled(call)) return false;
  return (task.workflow.downstream.get(undoes) ?? []).every((name) => isUndone(task, name));
}

/** Whether a call was never dispatched, or has settled and is undone. */
function isUndone(task: Task, name: string): boolean {
  const call = task.steps.get(name);
  if (call === undefined || call.attempt === 0) return true;
  const undo = task.steps.get(undoNameOf(name));
  return isSettled(call) && (undo === undefined || isDone(undo));
}
