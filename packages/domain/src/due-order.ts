import type { DecidedTask, DueStep } from "./batch.ts";
import type { Instant, Step } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** How much earlier each level of priority makes a step due. Low priorities age, so none starves. */
const headStart: Milliseconds = 30_000;

/** The place of a pending step in the due order of its lane, from the moment that it may be claimed. */
export function dueOrder(
  { plan, notBefore }: Extract<Step, { processState: "pending" }>,
  priority: number,
): Instant {
  return notBefore - (priority + stepKinds[plan.kind].extraPriority) * headStart;
}

/** Same object, nothing changed: decisions never copy a step that they leave alone. */
export const changedSteps = (before: Task, after: Task): readonly Step[] =>
  [...after.steps.values()].filter((step) => before.steps.get(step.plan.name) !== step);

/** The steps that a decision makes due. */
export const dueStepsOf = ({ before, after }: DecidedTask, now: Instant): readonly DueStep[] =>
  changedSteps(before.task, after).flatMap((step) =>
    step.processState === "pending" && step.notBefore <= now
      ? [{ lane: step.plan.agent, rank: dueOrder(step, before.priority) }]
      : [],
  );
