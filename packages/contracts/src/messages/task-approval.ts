import { approvalOutcomes } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Count, Instant, Name, TaskId } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const TaskApprovalSchema = Type.Object({
  /** Which task. */
  taskId: TaskId,
  /** The correlation id that came with the submission. */
  correlationId: Type.Union([Type.String({ maxLength: limits.property }), Type.Null()]),
  /**
   * The version of the task, as `sequence` of a `TaskStatus` is. A reminder leaves it as it was.
   */
  sequence: Count(1),
  /** What happened. */
  event: Type.Enum([
    /** A step waits for people to decide. */
    "approval.wanted",
    /** It still does. */
    "approval.reminded",
    /** It does no longer. */
    "approval.decided",
  ]),
  /** The name of the workflow with its version. */
  workflow: Name,
  /** The name of the step. */
  step: Name,
  /** The audience: who may decide, as principals have it in `approves`. */
  audience: Name,
  /** How many of them must approve. One who rejects decides alone. */
  quorum: Count(1),
  /** ISO 8601, on the state store's clock; null: none, or it waits no longer. */
  deadline: Type.Union([Instant, Type.Null()]),
  /**
   * What came of it; null: nothing yet. `expired`: they did not decide in time. `cancelled`: there
   * is nothing to decide any more, since the task is being undone.
   */
  decision: Type.Union([Type.Enum([...approvalOutcomes]), Type.Null()]),
  /** ISO 8601, on the state store's clock. */
  at: Instant,
});

/**
 * Says that a step waits for people to decide, or that it does no longer. What they see, and the
 * means to decide, are in the API alone.
 */
export type TaskApproval = Static<typeof TaskApprovalSchema>;
export const TaskApproval = defineMessage("task.approval.v1", TaskApprovalSchema);
