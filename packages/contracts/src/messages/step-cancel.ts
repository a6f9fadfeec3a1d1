import { type Static, Type } from "typebox";
import { Count, Name, TaskId, Token } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const StepCancelSchema = Type.Object({
  /** Which task. */
  taskId: TaskId,
  /** Which of its steps. */
  step: Name,
  /** The number of the attempt, as the request has it. */
  attempt: Count(1),
  /** The token of the attempt, as the request has it. */
  token: Token,
});

/**
 * The task is to be undone: the Agent may stop this attempt, and says so with a `StepReply`.
 * A hint: should it be lost, the attempt ends by itself.
 */
export type StepCancel = Static<typeof StepCancelSchema>;
export const StepCancel = defineMessage("step.cancel.v1", StepCancelSchema);
