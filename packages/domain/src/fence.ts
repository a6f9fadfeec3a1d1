import { type Decision, rejected } from "./decision.ts";
import { agentOf } from "./due-order.ts";
import type { FailedStep, ProcessingStep, StepRecord } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import type { AttemptRef } from "./task-event.ts";

/** The fence: only the current attempt, proven by its token, may move its step. */
export function onAttempt(
  task: Task,
  { step: name, attempt, token, agent }: AttemptRef,
  move: (step: ProcessingStep) => Decision,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "processing") return rejected("not_processing");
  if (step.attempt !== attempt) return rejected("stale_attempt");
  if (step.token !== token) return rejected("wrong_token");
  return agent === undefined || agent === agentOf(step) ? move(step) : rejected("wrong_agent");
}

/**
 * Moves the last attempt of a failed step alone, and only under the goal of its kind: the goal
 * never turns back.
 */
export function onFailed(
  task: Task,
  { step: name, attempt }: { readonly step: string; readonly attempt: number },
  move: (step: FailedStep) => Decision,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "error") return rejected("not_in_error");
  if (step.attempt !== attempt) return rejected("stale_attempt");
  return fitsGoal(task, step) ? move(step) : rejected("wrong_goal");
}

/** Whether a step serves the goal that its task has now. */
export const fitsGoal = ({ goal }: Task, { plan }: StepRecord): boolean =>
  stepKinds[plan.kind].goal === goal;
