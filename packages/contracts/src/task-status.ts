import { type Static, Type } from "typebox";
import { defineMessage } from "./message.ts";
import { Name, TaskId } from "./parts.ts";

const nullable = <Inner extends ReturnType<typeof Type.String>>(inner: Inner) =>
  Type.Union([inner, Type.Null()]);

const TaskStatusSchema = Type.Object({
  taskId: TaskId,
  /** As it came with the submission. */
  correlationId: nullable(Type.String()),
  /** Rises with each message of a task, with gaps; the same number is the same message again. */
  sequence: Type.Integer({ minimum: 1 }),
  event: Type.Enum([
    /** It is written down, with all its steps. */
    "received",
    /** A step is done, or will not be done. */
    "progress",
    "processed",
    /** What was done is being undone. */
    "compensating",
    "compensated",
    /** It halted, and waits for an operator. */
    "error",
  ]),
  workflow: Name,
  state: Type.String(),
  /** The steps that moved, and where they stand now. */
  steps: Type.Array(Type.Object({ name: Name, state: Type.String() })),
  faultCode: nullable(Type.String()),
  /** ISO 8601, on the state store's clock. */
  at: Type.String(),
});

/** Tells whoever submitted a task what became of it, in order. */
export type TaskStatus = Static<typeof TaskStatusSchema>;
export const TaskStatus = defineMessage("task.status.v1", TaskStatusSchema);

const TaskAlertSchema = Type.Object({
  taskId: nullable(Type.String()),
  /** The version of the task that brought it about: the same number is the same alert again. */
  episode: Type.Integer({ minimum: 0 }),
  kind: Type.Enum(["task.halted", "undo.failing", "message.dead"]),
  step: nullable(Type.String()),
  code: Type.String(),
  detail: nullable(Type.String()),
  at: Type.String(),
});

/** A person must look. */
export type TaskAlert = Static<typeof TaskAlertSchema>;
export const TaskAlert = defineMessage("task.alert.v1", TaskAlertSchema);
