import { decideOutcome } from "./attempt-outcome.ts";
import { claimStep } from "./claim-step.ts";
import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { decideRequest } from "./operator-request.ts";
import { replan } from "./replan.ts";
import { isFinished, type Task } from "./task.ts";
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
