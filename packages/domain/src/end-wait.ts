import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { fitsGoal } from "./fence.ts";
import { settle } from "./settle.ts";
import { sourceOf } from "./source.ts";
import type { AwaitingStep, Instant } from "./step.ts";
import { faultAtEnd, signalOf, stepKinds, waitRulesOf } from "./step-kinds.ts";
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
    case "operator":
      return mayGoOnWithoutSignal(step)
        ? settle(
            task,
            [change(step, "fire", { reason: "operator.fire", changes: { faultCode: null } })],
            context,
          )
        : rejected("needs_signal");
    case "deadline":
      return endByTime(task, step, context);
  }
}

const mayGoOnWithoutSignal = ({ plan }: AwaitingStep): boolean =>
  waitRulesOf(plan)?.signal(plan) === null || waitRulesOf(plan)?.faultAtEnd(plan) === null;

function endByTime(task: Task, step: AwaitingStep, context: DecisionContext): Decision {
  if (step.notBefore === null || context.now < step.notBefore) return rejected("not_due");
  const code = faultAtEnd(step);
  if (code === null) return settle(task, [change(step, "fire")], context);
  if (task.paused) return rejected("task_paused");
  return task.processState === "halted"
    ? rejected("task_halted")
    : lapse(task, step, code, context);
}

/** The wait can never end as it should. */
function lapse(task: Task, step: AwaitingStep, code: string, context: DecisionContext): Decision {
  const failed = change(step, "lapse", { reason: code, changes: { faultCode: code } });
  const { onFinalFailure } = stepKinds[step.plan.kind];
  return onFinalFailure(step.plan) === "undo"
    ? undoTask(task, [failed], { code, saidBy: sourceOf(code) }, context)
    : settle({ ...task, faultCode: code }, [failed], context);
}

/**
 * Moves on, by so long as its task was paused, each deadline that lay ahead then and whose passing
 * is a failure: as the limit of the task is.
 */
export const postponeFailures = (
  task: Task,
  pausedFor: Milliseconds,
  now: Instant,
): readonly Change[] =>
  stepsOf(task).flatMap((step) =>
    step.processState === "awaiting" &&
    step.notBefore !== null &&
    step.notBefore > now - pausedFor &&
    faultAtEnd(step) !== null
      ? [
          change(step, "postpone", {
            reason: "task.paused",
            changes: { notBefore: step.notBefore + pausedFor },
          }),
        ]
      : [],
  );
