import type { StepState } from "../step.ts";
import type { Goal, Task, TaskState } from "../task.ts";
import type { BulkAction } from "./bulk-request.ts";

/** What the action of an item was applied to. */
export interface BulkTarget {
  readonly action: BulkAction;
  /** The step; null: the task as a whole. */
  readonly step: string | null;
}

/** How the task of an item stands. */
export interface BulkFacts {
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly faultCode: string | null;
  /** The step that the item is about; null: none. */
  readonly step: { readonly processState: StepState; readonly faultCode: string | null } | null;
}

export interface BulkVerdict {
  readonly outcome: "applied" | "succeeded" | "failedAgain";
  /** Why it failed again. */
  readonly code: string | null;
}

const open: BulkVerdict = { outcome: "applied", code: null };
const succeeded: BulkVerdict = { outcome: "succeeded", code: null };
const failedAgain = (code: string | null): BulkVerdict => ({ outcome: "failedAgain", code });

/**
 * What has become of a task since an action was applied to it: `applied` until it has ended as the
 * action intends, or its step got beyond the failure, or failed for good again. A task that is gone
 * shows nothing, so it does not count as repaired.
 */
export function bulkVerdictOf({ action }: BulkTarget, facts: BulkFacts | null): BulkVerdict {
  if (facts === null) return failedAgain("bulk.task_gone");
  switch (action) {
    case "pause":
    case "resume":
      // The action is all that was wanted, and it was applied.
      return succeeded;
    case "cancel":
      return undoVerdict(facts);
    case "resubmit":
    case "resolve":
    case "retryNow":
      return stepVerdict(facts);
  }
}

function undoVerdict({ processState, goal, faultCode }: BulkFacts): BulkVerdict {
  if (processState === "undone") return succeeded;
  return processState === "halted" && goal === "undo" ? failedAgain(faultCode) : open;
}

function stepVerdict({ processState, faultCode, step }: BulkFacts): BulkVerdict {
  if (processState === "processed") return succeeded;
  switch (step?.processState) {
    case "processed":
    case "skipped":
      return succeeded;
    case "error":
      return failedAgain(step.faultCode);
    // The task is being undone: for another failure, or because it was asked to be.
    case "cancelled":
      return failedAgain(faultCode);
    case "waiting":
    case "pending":
    case "processing":
    case "awaiting":
    case undefined:
      return processState === "undone" ? failedAgain(faultCode) : open;
  }
}

/** The facts about a task that has just been decided about. */
export function bulkFactsOf(task: Task, stepName: string | null): BulkFacts {
  const step = stepName === null ? undefined : task.steps.get(stepName);
  const { goal, processState, faultCode } = task;
  return {
    goal,
    processState,
    faultCode,
    step:
      step === undefined ? null : { processState: step.processState, faultCode: step.faultCode },
  };
}
