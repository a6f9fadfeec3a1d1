import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { fitsGoal } from "./fence.ts";
import { settle } from "./settle.ts";
import { sourceOf } from "./source.ts";
import type { AwaitingStep, Instant } from "./step.ts";
import { audienceOf, faultAtEnd, signalOf, stepKinds, waitRulesOf } from "./step-kinds.ts";
import { type Change, change } from "./step-transitions.ts";
import { stepsOf, type Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoTask } from "./undo-task.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/**
 * What a step waited for has come. A wait of a paused or halted task may end, too: nothing more
 * begins by that. It does not fail then: what a person holds up, or looks at, is not to be undone
 * by a deadline.
 */
export function endWait(
  task: Task,
  { step: name, by }: Extract<TaskEvent, { kind: "waitEnded" }>,
  context: DecisionContext,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "awaiting") return rejected("not_awaiting");
  if (!fitsGoal(task, step)) return rejected("wrong_goal");
  switch (by) {
    case "signal":
      return signalOf(step.plan) === null
        ? rejected("not_awaiting")
        : settle(task, [change(step, "fire")], context);
    case "approval":
      return endByApproval(task, step, context);
    case "rejection":
      return audienceOf(step.plan) === null
        ? rejected("not_awaiting")
        : lapse(task, step, "approval.rejected", context);
    case "operator":
      return endByOperator(task, step, context);
    case "deadline":
      return endByTime(task, step, context);
  }
}

/**
 * Enough have approved it. That counts for nothing where it is not known who may not: one of them
 * may be among those who did.
 */
function endByApproval(task: Task, step: AwaitingStep, context: DecisionContext): Decision {
  if (audienceOf(step.plan) === null) return rejected("not_awaiting");
  return step.faultCode === null
    ? settle(task, [change(step, "fire")], context)
    : lapse(task, step, step.faultCode, context);
}

function endByOperator(task: Task, step: AwaitingStep, context: DecisionContext): Decision {
  const needed = waitRulesOf(step.plan)?.needs(step.plan) ?? null;
  if (needed !== null) return rejected(needed);
  const fired = change(step, "fire", { reason: "operator.fire", changes: { faultCode: null } });
  return settle(task, [fired], context);
}

function endByTime(task: Task, step: AwaitingStep, context: DecisionContext): Decision {
  if (step.notBefore === null || context.now < step.notBefore) return rejected("not_due");
  const code = faultAtEnd(step);
  if (code !== null) return lapse(task, step, code, context);
  return (standsStill(step) ? heldUp(task) : null) ?? settle(task, [change(step, "fire")], context);
}

/** Whether the time of a step does not pass while its task is held up. */
const standsStill = (step: AwaitingStep): boolean =>
  faultAtEnd(step) !== null || waitRulesOf(step.plan)?.standsStill(step.plan) === true;

/** Why nothing of a task fails or is given up for now; null: nothing holds it up. */
const heldUp = ({ paused, processState }: Task): Decision | null => {
  if (paused) return rejected("task_paused");
  return processState === "halted" ? rejected("task_halted") : null;
};

/** The wait can never end as it should. */
function lapse(task: Task, step: AwaitingStep, code: string, context: DecisionContext): Decision {
  const refused = heldUp(task);
  if (refused !== null) return refused;
  const failed = change(step, "lapse", { reason: code, changes: { faultCode: code } });
  const { onFinalFailure } = stepKinds[step.plan.kind];
  return onFinalFailure(step.plan) === "undo"
    ? undoTask(task, [failed], { code, saidBy: sourceOf(code) }, context)
    : settle({ ...task, faultCode: code }, [failed], context);
}

/**
 * Moves on, by so long as its task was paused, each deadline that lay ahead then and that stands
 * still in a pause: as the limit of the task is.
 */
export const postponeDeadlines = (
  task: Task,
  pausedFor: Milliseconds,
  now: Instant,
): readonly Change[] =>
  stepsOf(task).flatMap((step) =>
    step.processState === "awaiting" &&
    step.notBefore !== null &&
    step.notBefore > now - pausedFor &&
    standsStill(step)
      ? [
          change(step, "postpone", {
            reason: "task.paused",
            changes: { notBefore: step.notBefore + pausedFor },
          }),
        ]
      : [],
  );
