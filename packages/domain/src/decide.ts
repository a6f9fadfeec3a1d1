import { decideOutcome } from "./attempt-outcome.ts";
import { change } from "./change.ts";
import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { longestDelay } from "./failure.ts";
import { decideRequest } from "./operator-request.ts";
import { settle } from "./settle.ts";
import { isFinished, stepsOf, type Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoTask } from "./undo-task.ts";

/** What an event means for a task. Pure; throws only for a bug or a condition that has no answer. */
export function decide(task: Task, event: TaskEvent, context: DecisionContext): Decision {
  if (isFinished(task)) return rejected("task_finished");
  switch (event.kind) {
    case "claimed":
      return claimStep(task, event, context);
    case "completed":
    case "failed":
    case "stopped":
    case "expired":
    case "neverStarted":
    case "parked":
      return decideOutcome(task, event, context);
    case "resubmitted":
    case "resolved":
    case "undoRequested":
    case "retryRequested":
    case "paused":
    case "resumed":
      return decideRequest(task, event, context);
    case "limitPassed":
      if (task.goal !== "do") return rejected("wrong_goal");
      return task.paused
        ? rejected("task_paused")
        : undoTask(task, [], { code: "task.expired", saidBy: "definition" }, context);
    case "replanned":
      return replan(task, context);
  }
}

/** A Scheduler claims a due step: a new attempt begins, with its lock, its token and its two limits. */
function claimStep(
  task: Task,
  { step: name, by, token, agent }: Extract<TaskEvent, { kind: "claimed" }>,
  context: DecisionContext,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "pending") return rejected("not_pending");
  if (context.now < step.notBefore) return rejected("not_due");
  const startBy = context.now + step.plan.startWithin;
  const completeBy = startBy + step.plan.completeWithin;
  const chosen = step.plan.pool === null ? null : (agent ?? step.agent);
  const lock = {
    agent: chosen,
    attempt: step.attempt + 1,
    lockedBy: by,
    token,
    startBy,
    completeBy,
  };
  return settle(
    task,
    [change(step, "claim", { changes: { ...lock, confirmed: false, resent: false } })],
    context,
  );
}

/**
 * Plans again whatever may start by now. Also takes back a delay that no policy allows: an earlier release, or a bug, may have
 * left it.
 */
function replan(task: Task, context: DecisionContext): Decision {
  const overlong = stepsOf(task)
    .filter(
      (step) =>
        step.processState === "pending" && step.notBefore > context.now + longestDelay(step.plan),
    )
    .map((step) => change(step, "hold", { reason: "step.delay_too_long" }));
  const decision = settle(task, overlong, context);
  const moved = decision.changes.length > 0 || decision.task.processState !== task.processState;
  return moved ? decision : rejected("nothing_to_do");
}
