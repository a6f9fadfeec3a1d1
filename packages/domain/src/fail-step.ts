import type { Decision, DecisionContext } from "./decision.ts";
import {
  type EndedAttempt,
  type Failure,
  longestDelay,
  policyFor,
  type Remedy,
  remedyFor,
  requeueOf,
} from "./failure.ts";
import type { FaultCode } from "./fault-codes.ts";
import { fitsGoal } from "./fence.ts";
import { settle } from "./settle.ts";
import type { ProcessingStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import { type Change, change } from "./step-transitions.ts";
import type { Task } from "./task.ts";
import { undoTask } from "./undo-task.ts";

/** Applies the remedy of the step's policy. */
export const failStep = (
  task: Task,
  step: ProcessingStep,
  failure: Failure,
  context: DecisionContext,
): Decision =>
  endAttempt(task, step, failure, context, (marked) => {
    const remedy = remedyFor(marked, failure, context.random());
    if (remedy.action !== "fail") return delay(task, marked, { ...failure, remedy }, context);
    const failed = giveUp(marked, failure.code, remedy.failureCount);
    const { onFinalFailure } = stepKinds[step.plan.kind];
    return onFinalFailure(policyFor(step.plan, failure.code)) === "undo"
      ? undoTask(task, [failed], failure, context)
      : settle(haltedWith(task, failure.code), [failed], context);
  });

/** Has an attempt made again that failed only by the look of it, as often as the step allows. */
export const requeueStep = (
  task: Task,
  step: ProcessingStep,
  ended: EndedAttempt,
  context: DecisionContext,
): Decision =>
  endAttempt(task, step, ended, context, (marked) => {
    const remedy = requeueOf(marked, context.random());
    return remedy.requeueCount > (step.plan.maxRequeues ?? Number.POSITIVE_INFINITY)
      ? stopWaiting(task, marked, context)
      : delay(task, marked, { ...ended, remedy }, context);
  });

/** The workflow lets the step wait no longer. Nothing failed, so nothing is counted or undone. */
function stopWaiting(task: Task, step: ProcessingStep, context: DecisionContext): Decision {
  const code: FaultCode = "step.waited_too_long";
  const failed = giveUp(step, code, step.failureCount);
  return settle(haltedWith(task, code), [failed], context);
}

/** Notes what the attempt may have done. One that runs under the other goal is not tried again. */
function endAttempt(
  task: Task,
  step: ProcessingStep,
  { code, effect }: EndedAttempt,
  context: DecisionContext,
  goOn: (marked: ProcessingStep) => Decision,
): Decision {
  const mayHaveEffect = step.mayHaveEffect || effect === "unknown";
  const marked = { ...step, mayHaveEffect, faultCode: code };
  return fitsGoal(task, step)
    ? goOn(marked)
    : settle(task, [change(marked, "cancel", { reason: code })], context);
}

/**
 * The next attempt waits for what the policy says, or for as long as the Agent asked, within
 * bounds.
 */
function delay(
  task: Task,
  step: ProcessingStep,
  { code, retryAfter, remedy }: EndedAttempt & { readonly remedy: Remedy },
  context: DecisionContext,
): Decision {
  const { action, wait, ...counters } = remedy;
  const asked = retryAfter ?? 0;
  const longest = longestDelay(step.plan);
  const notBefore = context.now + Math.max(wait, Math.min(asked, longest));
  const delayed = change(step, action, {
    reason: code,
    changes: { ...counters, notBefore },
    cappedDelay: asked > longest ? asked : undefined,
  });
  return settle(task, [delayed], context);
}

/**
 * Gives a step up although no attempt failed it, and undoes nothing. Where it is unknown what it
 * did, an undo covers it.
 */
export function parkStep(
  task: Task,
  step: ProcessingStep,
  { code, effect }: Pick<EndedAttempt, "code" | "effect">,
  context: DecisionContext,
): Decision {
  const mayHaveEffect = step.mayHaveEffect || effect === "unknown";
  const failed = giveUp({ ...step, mayHaveEffect }, code, step.failureCount);
  return settle(haltedWith(task, code), [failed], context);
}

/** A task that is being undone keeps the code that it is undone for. */
const haltedWith = (task: Task, faultCode: string): Task =>
  task.goal === "undo" ? task : { ...task, faultCode };

const giveUp = (step: ProcessingStep, faultCode: string, failureCount: number): Change =>
  change(step, "fail", { reason: faultCode, changes: { faultCode, failureCount } });
