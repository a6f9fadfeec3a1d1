import type { OperatorEvent } from "../operator-request.ts";
import type { Instant } from "../step.ts";
import { stepsOf, type Task } from "../task.ts";
import { type FailedStepFound, findFailedStep } from "./find-failed-step.ts";

/** What a bulk operation can ask of each of its tasks: what operators can ask of one. */
export const bulkActions = [
  "resubmit",
  "cancel",
  "pause",
  "resume",
  "resolve",
  "retryNow",
] as const;
export type BulkAction = (typeof bulkActions)[number];

/** What is asked of a task as a whole, by the name of its route. */
export const wholeTaskEvents = {
  cancel: { kind: "undoRequested", code: "operator.cancel" },
  pause: { kind: "paused" },
  resume: { kind: "resumed" },
} as const satisfies Readonly<Record<string, OperatorEvent>>;

export interface NewBulkRequest {
  readonly action: BulkAction;
  /** Which step, if several can be meant; null: the only one. */
  readonly step: string | null;
}

/**
 * The event that asks a task for what is requested, and the attempt that it is about; or why there
 * is none.
 */
export type BulkRequest =
  | { readonly event: OperatorEvent; readonly step: string | null; readonly attempt: number | null }
  | {
      readonly refusal:
        | "task.nothing_failed"
        | "task.step_not_failed"
        | "task.not_delayed"
        | "bulk.step_ambiguous";
    };

/** Turns a request about many tasks into the request about one of them, as it stands now. */
export function bulkRequestOf(task: Task, request: NewBulkRequest, now: Instant): BulkRequest {
  switch (request.action) {
    case "cancel":
    case "pause":
    case "resume":
      return { event: wholeTaskEvents[request.action], step: null, attempt: null };
    case "resubmit":
    case "resolve":
      return repairOf(task, { action: request.action, step: request.step });
    case "retryNow":
      return retryOf(task, request, now);
  }
}

function repairOf(
  task: Task,
  { action, step: name }: { readonly action: "resubmit" | "resolve"; readonly step: string | null },
): BulkRequest {
  const found: FailedStepFound<{ readonly name: string; readonly attempt: number }> =
    findFailedStep(
      stepsOf(task).map(({ plan, processState, attempt }) => ({
        name: plan.name,
        kind: plan.kind,
        processState,
        attempt,
      })),
      { goal: task.goal, name },
    );
  if ("refusal" in found) return { refusal: found.refusal };
  const { name: step, attempt } = found.step;
  const event =
    action === "resubmit"
      ? ({ kind: "resubmitted", step, attempt, inputChanged: false } as const)
      : ({ kind: "resolved", step, attempt } as const);
  return { event, step, attempt };
}

function retryOf(task: Task, { step: name }: NewBulkRequest, now: Instant): BulkRequest {
  const delayed = stepsOf(task).filter(
    (step) => step.processState === "pending" && step.notBefore > now,
  );
  const [only] = delayed;
  if (name === null && delayed.length > 1) return { refusal: "bulk.step_ambiguous" };
  const step = name ?? only?.plan.name;
  if (step === undefined) return { refusal: "task.not_delayed" };
  const attempt = task.steps.get(step)?.attempt ?? null;
  return { event: { kind: "retryRequested", step }, step, attempt };
}
