import type { DecidedTask, DueStepOfTask } from "./batch.ts";
import { laneOf } from "./lane.ts";
import type { Band, Urgency } from "./priority.ts";
import type { Instant, Step } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";

/** The band of a step: undos have their own. */
export const bandOfStep = ({ plan }: Step, { priority }: Pick<Urgency, "priority">): Band =>
  stepKinds[plan.kind].band(priority);

/**
 * The place of a pending step in the due order of its lane and band, from the moment that it may be claimed. Null:
 * not due yet, or its key decides, which the state store knows.
 */
export function rankOf(step: Step, { fairnessKey }: Urgency, now: Instant): Instant | null {
  if (step.processState !== "pending" || step.notBefore > now || fairnessKey !== null) return null;
  return step.notBefore;
}

/** The steps that changed: decisions never copy a step that they leave alone, so the same object is the same step. */
export const changedSteps = (before: Task, after: Task): readonly Step[] =>
  [...after.steps.values()].filter((step) => before.steps.get(step.plan.name) !== step);

/** The steps that a decision makes due. */
export const dueStepsOf = (
  { before, after }: DecidedTask,
  now: Instant,
): readonly DueStepOfTask[] =>
  changedSteps(before.task, after).flatMap((step) =>
    step.processState === "pending" && step.notBefore <= now
      ? [
          {
            taskId: after.taskId,
            name: step.plan.name,
            lane: laneOf(step),
            band: bandOfStep(step, before),
            rank: rankOf(step, before, now),
          },
        ]
      : [],
  );
