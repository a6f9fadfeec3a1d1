import type { WaitingStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import { stepsOf, type Task } from "./task.ts";

/**
 * Every step that may start now. Looks at the whole task and not at what just happened, so that
 * nothing depends on an event being seen: planning again never hurts.
 */
export function plan(task: Task): readonly WaitingStep[] {
  if (task.paused) return [];
  return stepsOf(task)
    .filter((step) => step.processState === "waiting")
    .filter((step) => {
      const { goal, mayStart } = stepKinds[step.plan.kind];
      return goal === task.goal && mayStart(task, step);
    });
}
