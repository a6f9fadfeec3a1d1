import { printablePattern } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Name, Payload, TaskId } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const Property = Type.String({
  minLength: 1,
  maxLength: limits.property,
  pattern: printablePattern,
});

const TaskSignalSchema = Type.Object({
  /** The task that it is for; absent: `workflow` and `businessKey` say which. */
  taskId: Type.Optional(TaskId),
  /** The workflow of the task, with or without its version. */
  workflow: Type.Optional(Name),
  /** The business key of the task: its open task of that workflow gets the signal. */
  businessKey: Type.Optional(Property),
  /**
   * How long the signal is held if there is no such task yet, such as `7d`: it is handed to the
   * first one. Absent: then it is refused.
   */
  holdFor: Type.Optional(Type.String({ maxLength: limits.instant, pattern: printablePattern })),
  /** The name of the signal, for which a step of the workflow waits. */
  name: Name,
  /** The sender's own id of this signal: sent again under it, it is the same signal. */
  id: Property,
  /** What it says, as the workflow has it under `signals`. */
  payload: Payload,
});

/**
 * Sends a signal to a task. It has no answer; what is refused is answered with a `SignalRefused`.
 */
export type TaskSignal = Static<typeof TaskSignalSchema>;
export const TaskSignal = defineMessage("task.signal.v1", TaskSignalSchema);
