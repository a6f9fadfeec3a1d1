import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { endWait } from "./end-wait.ts";
import { failStep, parkStep, requeueStep } from "./fail-step.ts";
import {
  cleared,
  type EndedAttempt,
  longestDelay,
  policyFor,
  requeuesUntilAlert,
} from "./failure.ts";
import type { FaultCode } from "./fault-codes.ts";
import { replyFaults } from "./faults.ts";
import { fitsGoal, onAttempt } from "./fence.ts";
import { decideRequest } from "./operator-request.ts";
import { settle } from "./settle.ts";
import { sourceOf } from "./source.ts";
import type { ProcessingStep } from "./step.ts";
import { change } from "./step-transitions.ts";
import { isFinished, stepsOf, type Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";
import { undoTask } from "./undo-task.ts";

/**
 * What an event means for a task. Pure; throws only for a bug or a condition that has no answer.
 */
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
    case "waitEnded":
      return endWait(task, event, context);
    case "replanned":
      return replan(task, context);
  }
}

/**
 * A Scheduler claims a due step: a new attempt begins, with its lock, its token and its two limits.
 */
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
 * Plans again whatever may start by now. Also takes back a delay that no policy allows: an earlier
 * release, or a bug, may have left it.
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

/** The events that end an attempt. */
type OutcomeEvent = Extract<
  TaskEvent,
  { kind: "completed" | "failed" | "stopped" | "expired" | "neverStarted" | "parked" }
>;

type FailedEvent = Extract<TaskEvent, { kind: "failed" }>;

/** What the end of an attempt means for its task, if it is the current attempt of its step. */
const decideOutcome = (task: Task, event: OutcomeEvent, context: DecisionContext) =>
  onAttempt(task, event, (step) => endAttempt(task, step, event, context));

function endAttempt(
  task: Task,
  step: ProcessingStep,
  event: OutcomeEvent,
  context: DecisionContext,
): Decision {
  switch (event.kind) {
    case "completed":
      return settle(task, [change(step, "complete", { changes: cleared })], context);
    case "failed":
      return endFailed(task, step, event, context);
    case "stopped":
      return requeueStep(task, step, silence("step.stopped"), context);
    case "expired": {
      if (context.now < step.completeBy) return rejected("not_expired");
      // Only an Agent that had the request can have failed: neither what the broker never
      // confirmed, nor what it could not carry, nor what another Scheduler published once more
      // shows that one had it.
      const hadIt = step.confirmed && !step.resent && event.excused !== true;
      const expired = silence("step.expired");
      return hadIt
        ? failStep(task, step, { ...expired, transient: true, saidBy: "agent" }, context)
        : requeueStep(task, step, expired, context);
    }
    case "neverStarted":
      if (mayBeRunning(task, step) && context.now < step.completeBy) {
        return rejected("may_be_running");
      }
      return requeueStep(task, step, neverStarted(step, event), context);
    case "parked": {
      const effect = step.resent || event.unsent !== true ? "unknown" : "none";
      return parkStep(task, step, { code: event.code, effect }, context);
    }
  }
}

/** Whether a request was given back so often in a row that no other instance is waited for. */
const isMany = (requeues: number): boolean => requeues >= requeuesUntilAlert;

/**
 * An instance that cannot read a request gives it to another. If none is known to read it, and many
 * have tried, a person has to look: nothing failed, so nothing is undone.
 *
 * An Agent that called nothing, and may call later, has not failed; nor has a remote service that
 * says when to come back, unless the step has a policy for that very fault.
 */
function endFailed(
  task: Task,
  step: ProcessingStep,
  event: FailedEvent,
  context: DecisionContext,
): Decision {
  const effect = isConclusive(step, event) ? event.effect : "unknown";
  const { code, retryAfter, transient } = event;
  if (event.unreadable !== undefined) {
    const isLast = event.unreadable === "everywhere" && isMany(step.requeueCount + 1);
    return isLast && fitsGoal(task, step)
      ? parkStep(task, step, { code, effect }, context)
      : requeueStep(task, step, { code, effect, retryAfter }, context);
  }
  const isPaced = event.paces === true && policyFor(step.plan, code) === step.plan;
  // A permanent fault is counted even if nothing was called: there is no other way out.
  if (transient && (!event.attempted || isPaced)) {
    return requeueStep(task, step, { code, effect, retryAfter }, context);
  }
  if (isMistake(step, event)) return parkStep(task, step, { code, effect }, context);
  const saidBy = sourceOf(code);
  return failStep(task, step, { code, effect, retryAfter, transient, saidBy }, context);
}

/**
 * Whether only the Agent's reply is wrong, after work that may be done, so that a person must look:
 * unless the step has a policy for that very fault. An Agent of ours finds by itself that its
 * output breaks its contract.
 */
const isMistake = ({ plan }: ProcessingStep, { code, effect, transient }: FailedEvent): boolean => {
  const isOfReply = replyFaults.has(code) || code === "step.contract_broken";
  return isOfReply && !transient && effect === "unknown" && policyFor(plan, code) === plan;
};

/**
 * Whether an Agent's word about the effect of its attempt is true of the step. A resent or
 * redelivered request may have been carried out by another Agent before. An Agent that called the
 * remote service knows what is bound to the idempotency key; one that refused the request without a
 * call knows only that it did nothing itself, so it must say as well that the broker had delivered
 * the request to no other.
 */
function isConclusive(step: ProcessingStep, event: FailedEvent): boolean {
  if (step.resent) return false;
  if (event.attempted) return event.redelivered !== true;
  return event.redelivered === false;
}

/**
 * Whether an Agent may be at work although one copy of the request came back. Of two copies the
 * other one may be with an Agent. A copy that expired may have been delivered before, which the
 * broker does not report: where it is to be tried again the idempotency key covers that, but an
 * undo must not overtake it.
 */
const mayBeRunning = (task: Task, step: ProcessingStep): boolean =>
  step.resent || !fitsGoal(task, step);

/**
 * The end of an attempt whose request no queue ever had: nothing can have come of it, unless it was
 * published twice.
 */
const neverStarted = (
  { resent }: ProcessingStep,
  { unsent = false }: Extract<TaskEvent, { kind: "neverStarted" }>,
): EndedAttempt => ({
  ...silence("step.never_started"),
  effect: unsent && !resent ? "none" : "unknown",
});

/** An attempt without an answer. Whether the remote service was called is unknown. */
const silence = (code: FaultCode): EndedAttempt => ({ code, effect: "unknown", retryAfter: null });
