import { change } from "./change.ts";
import { type Decision, type DecisionContext, rejected } from "./decision.ts";
import { failStep, parkStep } from "./fail-step.ts";
import { cleared, type Failure } from "./failure.ts";
import { fitsGoal, onAttempt } from "./fence.ts";
import { settle } from "./settle.ts";
import type { ProcessingStep } from "./step.ts";
import type { Task } from "./task.ts";
import type { TaskEvent } from "./task-event.ts";

/** The events that end an attempt. */
export type OutcomeEvent = Extract<
  TaskEvent,
  { kind: "completed" | "failed" | "stopped" | "expired" | "neverStarted" | "parked" }
>;

/** What the end of an attempt means for its task, if it is the current attempt of its step. */
export const decideOutcome = (task: Task, event: OutcomeEvent, context: DecisionContext) =>
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
    case "failed": {
      // A permanent fault is counted even if nothing was called: there is no other way out.
      const counted = event.attempted || !event.transient;
      const effect = isConclusive(step, event) ? event.effect : "unknown";
      return failStep(task, step, { ...event, counted, effect }, context);
    }
    case "stopped":
      return failStep(task, step, silence("step.stopped", false), context);
    case "expired": {
      if (context.now < step.completeBy) return rejected("not_expired");
      // What the broker never confirmed, or could not carry, is no failure of the step.
      const counted = step.dispatched && !step.relayed && event.excused !== true;
      return failStep(task, step, silence("step.expired", counted), context);
    }
    case "neverStarted":
      if (mayBeRunning(task, step) && context.now < step.completeBy) {
        return rejected("may_be_running");
      }
      return failStep(task, step, neverStarted(step, event), context);
    case "parked":
      return parkStep(task, step, event.code, context);
  }
}

/**
 * Whether an Agent's word about the effect of its attempt is true of the step. A relayed or redelivered
 * request may have been carried out by another Agent before. An Agent that called the remote service
 * knows what is bound to the idempotency key; one that refused the request without a call knows only that
 * it did nothing itself, so it must say as well that the broker had delivered the request to no other.
 */
function isConclusive(
  step: ProcessingStep,
  event: Extract<TaskEvent, { kind: "failed" }>,
): boolean {
  if (step.relayed) return false;
  if (event.attempted) return event.redelivered !== true;
  return event.redelivered === false;
}

/**
 * Whether an Agent may be at work although one copy of the request came back. Of two copies the other one
 * may be with an Agent. A copy that expired may have been delivered before, which the broker does not
 * report: where it is to be tried again the idempotency key covers that, but an undo must not overtake it.
 */
const mayBeRunning = (task: Task, step: ProcessingStep): boolean =>
  step.relayed || !fitsGoal(task, step);

/** Of a request that no queue has ever had, nothing can have come, unless it was published twice. */
const neverStarted = (
  { relayed }: ProcessingStep,
  { unsent = false }: Extract<TaskEvent, { kind: "neverStarted" }>,
): Failure => ({
  ...silence("step.never_started", false),
  effect: unsent && !relayed ? "none" : "unknown",
});

/** An attempt without an answer. Whether the remote service was called is unknown. */
const silence = (code: string, counted: boolean): Failure => ({
  code,
  transient: true,
  counted,
  effect: "unknown",
  retryAfter: null,
});
