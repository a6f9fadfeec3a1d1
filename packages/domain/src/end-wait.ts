import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { fitsGoal } from "./fence.ts";
import { settle } from "./settle.ts";
import { sourceOf } from "./source.ts";
import type { AwaitingStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import { change } from "./step-transitions.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoTask } from "./undo-task.ts";

/**
 * What a step waited for has come. A wait of a paused or halted task may end, too: nothing more
 * begins by that. One whose end no value says has failed for good.
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
  if (by === "operator")
    return settle(
      task,
      [change(step, "fire", { reason: "operator.fire", changes: { faultCode: null } })],
      context,
    );
  if (step.notBefore === null || context.now < step.notBefore) return rejected("not_due");
  return step.faultCode === null
    ? settle(task, [change(step, "fire")], context)
    : lapse(task, step, step.faultCode, context);
}

/** The wait can never end as it should. */
function lapse(task: Task, step: AwaitingStep, code: string, context: DecisionContext): Decision {
  const failed = change(step, "lapse", { reason: code });
  const { onFinalFailure } = stepKinds[step.plan.kind];
  return onFinalFailure(step.plan) === "undo"
    ? undoTask(task, [failed], { code, saidBy: sourceOf(code) }, context)
    : settle({ ...task, faultCode: code }, [failed], context);
}
