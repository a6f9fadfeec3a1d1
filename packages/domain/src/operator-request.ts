import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { postponeDeadlines } from "./end-wait.ts";
import { cleared } from "./failure.ts";
import { onFailed } from "./fence.ts";
import { settle } from "./settle.ts";
import type { FailedStep } from "./step.ts";
import { asksAgent, stepKinds } from "./step-kinds.ts";
import { type Change, change } from "./step-transitions.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoTask } from "./undo-task.ts";

/** The events that operators and the submitting application cause. */
export type OperatorEvent = Extract<
  TaskEvent,
  { kind: "resubmitted" | "resolved" | "undoRequested" | "retryRequested" | "paused" | "resumed" }
>;

/** What the request of an operator means for a task. */
export function decideRequest(
  task: Task,
  event: OperatorEvent,
  context: DecisionContext,
): Decision {
  switch (event.kind) {
    case "resubmitted":
      return onFailed(task, event, (step) =>
        asksAgent(step.plan)
          ? settle(task, [resubmit(step, event.inputChanged, context)], context)
          : rejected("no_attempt"),
      );
    case "resolved":
      return onFailed(task, event, (step) =>
        stepKinds[step.plan.kind].isResolvable
          ? settle(task, [change(step, "resolve", { changes: cleared })], context)
          : rejected("needs_decision"),
      );
    case "undoRequested":
      return task.goal === "do"
        ? undoTask(task, [], { code: event.code, saidBy: "person" }, context)
        : rejected("wrong_goal");
    case "retryRequested":
      return retryNow(task, event.step, context);
    case "paused":
      return task.paused
        ? rejected("already_paused")
        : settle({ ...task, paused: true }, [], context);
    case "resumed":
      return task.paused
        ? settle(
            { ...task, paused: false },
            postponeDeadlines(task, Math.max(0, event.pausedFor ?? 0), context.now),
            context,
          )
        : rejected("not_paused");
  }
}

/** A fresh start for the counters. See `idempotencyKey` for why the key may change. */
function resubmit(step: FailedStep, inputChanged: boolean, { now }: DecisionContext): Change {
  const newKey = inputChanged && !step.mayHaveEffect;
  const keyGeneration = step.keyGeneration + (newKey ? 1 : 0);
  return change(step, "resubmit", {
    changes: { ...cleared, coolDowns: 0, keyGeneration, notBefore: now },
  });
}

/** Ends a delay. The failures that were counted still count. */
function retryNow(task: Task, name: string, context: DecisionContext): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "pending") return rejected(task.paused ? "task_paused" : "not_pending");
  if (step.notBefore <= context.now) return rejected("not_delayed");
  const changes = { notBefore: context.now };
  return settle(task, [change(step, "retryNow", { reason: "operator.retry", changes })], context);
}

/** Why a task is not moved as an operator asks. */
const operatorRefusals = [
  "task.changed",
  "task.not_usable",
  "task.finished",
  "task.wrong_goal",
  "task.not_in_error",
  "task.not_awaiting",
  "task.needs_decision",
  "task.needs_signal",
  "task.no_attempt",
  "task.not_pending",
  "task.not_delayed",
  "task.is_paused",
  "task.already_paused",
  "task.not_paused",
  "task.refused",
] as const;
export type OperatorRefusal = (typeof operatorRefusals)[number];

/** Rejections that operators know by a shorter name. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["version_changed", "changed"],
  ["task_finished", "finished"],
  ["task_paused", "is_paused"],
  ["unusable_task", "not_usable"],
]);

/**
 * The code under which a rejection of the domain is answered; `task.refused` for one without a code
 * of its own.
 */
export function operatorRefusalOf(reason: string): OperatorRefusal {
  const named = `task.${renamed.get(reason) ?? reason}`;
  return operatorRefusals.find((code) => code === named) ?? "task.refused";
}
