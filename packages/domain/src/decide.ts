import { type Change, change } from "./change.ts";
import type { Decision, Surroundings } from "./decision.ts";
import { type Failure, longestDelay, policyFor, remedyFor } from "./failure.ts";
import { settle } from "./settle.ts";
import type { FailedStep, ProcessingStep, StepRecord } from "./step.ts";
import { isFinished, stepsOf, type Task, withSteps } from "./task.ts";
import type { AttemptRef, Rejection, TaskEvent } from "./task-event.ts";
import { beginUndo } from "./undo.ts";

/** What an event means for a task. Pure; throws only for a bug or a condition that has no answer. */
export function decide(task: Task, event: TaskEvent, around: Surroundings): Decision {
  if (isFinished(task)) return rejected("task_finished");
  switch (event.kind) {
    case "claimed":
      return claim(task, event, around);
    case "completed":
      return onAttempt(task, event, (step) =>
        settle(task, [change(step, "complete", { changes: cleared })], around),
      );
    case "failed":
      return onAttempt(task, event, (step) => {
        // A permanent fault is counted even if nothing was called: there is no other way out.
        const counted = event.attempted || !event.transient;
        const effect = isConclusive(step, event) ? event.effect : "unknown";
        return fail(task, step, { ...event, counted, effect }, around);
      });
    case "stopped":
      return onAttempt(task, event, (step) =>
        fail(task, step, silence("step.stopped", false), around),
      );
    case "expired":
      return onAttempt(task, event, (step) =>
        around.now < step.completeBy
          ? rejected("not_expired")
          : // What the broker never confirmed, or could not carry, is no failure of the step.
            fail(
              task,
              step,
              silence("step.expired", step.dispatched && !step.relayed && event.excused !== true),
              around,
            ),
      );
    case "neverStarted":
      return onAttempt(task, event, (step) =>
        mayBeRunning(task, step) && around.now < step.completeBy
          ? rejected("may_be_running")
          : fail(task, step, silence("step.never_started", false), around),
      );
    case "parked":
      return onAttempt(task, event, (step) =>
        settle(
          haltedWith(task, event.code),
          [giveUp({ ...step, mayHaveEffect: true }, event.code, step.failureCount)],
          around,
        ),
      );
    case "resubmitted":
      return onFailed(task, event, (step) =>
        settle(task, [resubmit(step, event.inputChanged, around)], around),
      );
    case "resolved":
      return onFailed(task, event, (step) =>
        settle(task, [change(step, "resolve", { changes: cleared })], around),
      );
    case "undoRequested":
      return task.goal === "do" ? undo(task, [], event.code, around) : rejected("wrong_goal");
    case "limitPassed":
      if (task.goal !== "do") return rejected("wrong_goal");
      return task.paused ? rejected("task_paused") : undo(task, [], "task.expired", around);
    case "retryRequested":
      return retryNow(task, event.step, around);
    case "paused":
      return task.paused
        ? rejected("already_paused")
        : settle({ ...task, paused: true }, [], around);
    case "resumed":
      return task.paused ? settle({ ...task, paused: false }, [], around) : rejected("not_paused");
    case "replanned":
      return replan(task, around);
  }
}

const rejected = (reason: Rejection): Decision => ({ applied: false, reason });

/** The fence: only the attempt that is in hand, proven by its token, may move its step. */
function onAttempt(
  task: Task,
  { step: name, attempt, token, agent }: AttemptRef,
  move: (step: ProcessingStep) => Decision,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "processing") return rejected("not_processing");
  if (step.attempt !== attempt) return rejected("stale_attempt");
  if (step.token !== token) return rejected("wrong_token");
  return agent === undefined || agent === step.plan.agent ? move(step) : rejected("wrong_agent");
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
  return !event.transient && event.redelivered === false;
}

/**
 * Whether an Agent may be at work although one copy of the request came back. Of two copies the other one
 * may be with an Agent. A copy that expired may have been delivered before, which the broker does not
 * report: where it is to be tried again the idempotency key covers that, but an undo must not overtake it.
 */
const mayBeRunning = (task: Task, step: ProcessingStep): boolean =>
  step.relayed || !fitsGoal(task, step);

/** A do under goal do, an undo under goal undo: anything else would turn the task around. */
function onFailed(
  task: Task,
  { step: name, attempt }: { readonly step: string; readonly attempt: number },
  move: (step: FailedStep) => Decision,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "error") return rejected("not_in_error");
  if (step.attempt !== attempt) return rejected("stale_attempt");
  return fitsGoal(task, step) ? move(step) : rejected("wrong_goal");
}

const fitsGoal = ({ goal }: Task, { plan }: StepRecord): boolean =>
  (goal === "do") === (plan.kind === "call");

function claim(
  task: Task,
  { step: name, by, token }: Extract<TaskEvent, { kind: "claimed" }>,
  around: Surroundings,
): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "pending") return rejected("not_pending");
  if (around.now < step.notBefore) return rejected("not_due");
  const startBy = around.now + step.plan.startWithin;
  const completeBy = startBy + step.plan.completeWithin;
  const lock = { attempt: step.attempt + 1, lockedBy: by, token, startBy, completeBy };
  return settle(
    task,
    [change(step, "claim", { changes: { ...lock, dispatched: false, relayed: false } })],
    around,
  );
}

/** What the Supervisor finds: no answer. Whether the remote service was called nobody knows. */
const silence = (code: string, counted: boolean): Failure => ({
  code,
  transient: true,
  counted,
  effect: "unknown",
  retryAfter: null,
});

/** A step on its way to being undone is not tried again; any other gets the remedy of its policy. */
function fail(task: Task, step: ProcessingStep, failure: Failure, around: Surroundings): Decision {
  const mayHaveEffect = step.mayHaveEffect || failure.effect === "unknown";
  const marked = { ...step, mayHaveEffect, faultCode: failure.code };
  if (!fitsGoal(task, step)) {
    return settle(task, [change(marked, "cancel", { reason: failure.code })], around);
  }
  const { action, wait, ...counters } = remedyFor(step, failure, around.random());
  if (action !== "fail") {
    const asked = failure.retryAfter ?? 0;
    const longest = longestDelay(step.plan);
    const notBefore = around.now + Math.max(wait, Math.min(asked, longest));
    const delayed = change(marked, action, {
      reason: failure.code,
      changes: { ...counters, notBefore },
      cappedDelay: asked > longest ? asked : undefined,
    });
    return settle(task, [delayed], around);
  }
  const failed = giveUp(marked, failure.code, counters.failureCount);
  return step.plan.kind === "call" && policyFor(step.plan, failure.code).onFailure === "compensate"
    ? undo(task, [failed], failure.code, around)
    : settle(haltedWith(task, failure.code), [failed], around);
}

/** A task that is being undone keeps the code that it is undone for. */
const haltedWith = (task: Task, faultCode: string): Task =>
  task.goal === "undo" ? task : { ...task, faultCode };

const giveUp = (step: ProcessingStep, faultCode: string, failureCount: number): Change =>
  change(step, "fail", { reason: faultCode, changes: { faultCode, failureCount } });

function undo(
  task: Task,
  changes: readonly Change[],
  code: string,
  around: Surroundings,
): Decision {
  const begun = beginUndo(
    withSteps(
      task,
      changes.map(({ step }) => step),
    ),
    code,
  );
  return settle(begun.task, [...changes, ...begun.changes], around);
}

/** A fresh start for the counters. See `idempotencyKey` for why the key may change. */
function resubmit(step: FailedStep, inputChanged: boolean, { now }: Surroundings): Change {
  const newKey = inputChanged && !step.mayHaveEffect;
  const keyGeneration = step.keyGeneration + (newKey ? 1 : 0);
  return change(step, "resubmit", {
    changes: { ...cleared, coolDowns: 0, keyGeneration, notBefore: now },
  });
}

/** Ends a delay. Counts nothing: whatever the step has failed so far still stands. */
function retryNow(task: Task, name: string, around: Surroundings): Decision {
  const step = task.steps.get(name);
  if (step === undefined) return rejected("unknown_step");
  if (step.processState !== "pending") return rejected(task.paused ? "task_paused" : "not_pending");
  if (step.notBefore <= around.now) return rejected("not_delayed");
  const changes = { notBefore: around.now };
  return settle(task, [change(step, "retryNow", { reason: "operator.retry", changes })], around);
}

const cleared = { failureCount: 0, putBackCount: 0, faultCode: null };

/** Also takes back a delay that no policy allows: an earlier release, or a bug, may have left it. */
function replan(task: Task, around: Surroundings): Decision {
  const overlong = stepsOf(task)
    .filter(
      (step) =>
        step.processState === "pending" && step.notBefore > around.now + longestDelay(step.plan),
    )
    .map((step) => change(step, "hold", { reason: "step.delay_too_long" }));
  const decision = settle(task, overlong, around);
  const moved = decision.changes.length > 0 || decision.task.processState !== task.processState;
  return moved ? decision : rejected("nothing_to_do");
}
