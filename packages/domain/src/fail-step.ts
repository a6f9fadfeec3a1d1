import { type Change, change } from "./change.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import { type Failure, longestDelay, policyFor, remedyFor } from "./failure.ts";
import { fitsGoal } from "./fence.ts";
import { settle } from "./settle.ts";
import type { ProcessingStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import { undoTask } from "./undo-task.ts";

/** Applies the remedy of the step's policy. An attempt that runs under the other goal is not retried. */
export function failStep(
  task: Task,
  step: ProcessingStep,
  failure: Failure,
  context: DecisionContext,
): Decision {
  const mayHaveEffect = step.mayHaveEffect || failure.effect === "unknown";
  const marked = { ...step, mayHaveEffect, faultCode: failure.code };
  if (!fitsGoal(task, step)) {
    return settle(task, [change(marked, "cancel", { reason: failure.code })], context);
  }
  const { action, wait, ...counters } = remedyFor(step, failure, context.random());
  if (action !== "fail") {
    const asked = failure.retryAfter ?? 0;
    const longest = longestDelay(step.plan);
    const notBefore = context.now + Math.max(wait, Math.min(asked, longest));
    const delayed = change(marked, action, {
      reason: failure.code,
      changes: { ...counters, notBefore },
      cappedDelay: asked > longest ? asked : undefined,
    });
    return settle(task, [delayed], context);
  }
  const failed = giveUp(marked, failure.code, counters.failureCount);
  const { onFinalFailure } = stepKinds[step.plan.kind];
  return onFinalFailure(policyFor(step.plan, failure.code)) === "compensate"
    ? undoTask(task, [failed], failure.code, context)
    : settle(haltedWith(task, failure.code), [failed], context);
}

/** Gives a step up although no attempt failed it: what it did is unknown, so an undo covers it. */
export function parkStep(
  task: Task,
  step: ProcessingStep,
  code: string,
  context: DecisionContext,
): Decision {
  const failed = giveUp({ ...step, mayHaveEffect: true }, code, step.failureCount);
  return settle(haltedWith(task, code), [failed], context);
}

/** A task that is being undone keeps the code that it is undone for. */
const haltedWith = (task: Task, faultCode: string): Task =>
  task.goal === "undo" ? task : { ...task, faultCode };

const giveUp = (step: ProcessingStep, faultCode: string, failureCount: number): Change =>
  change(step, "fail", { reason: faultCode, changes: { faultCode, failureCount } });
