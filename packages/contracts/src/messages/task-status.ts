import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, Count, Instant, Name, TaskId, Words } from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const nullable = <Inner extends ReturnType<typeof Type.String>>(inner: Inner) =>
  Type.Union([inner, Type.Null()]);

const TaskStatusSchema = Type.Object({
  /** Which task. */
  taskId: TaskId,
  /** The correlation id that came with the submission. */
  correlationId: nullable(Type.String({ maxLength: limits.property })),
  /** Rises with each message of a task, with gaps; the same number is the same message again. */
  sequence: Count(1),
  /** What happened. */
  event: Type.Enum([
    /** It is written down, with all its steps. */
    "received",
    /** A step is done, or will not be done. */
    "progress",
    /** A step waits for a time, and asks no Agent meanwhile. */
    "awaiting",
    /** The wait of a step has ended. */
    "fired",
    "processed",
    /** What was done is being undone. */
    "undoing",
    "undone",
    /** It halted, and waits for an operator. */
    "halted",
  ]),
  /** The name of the workflow with its version. */
  workflow: Name,
  /** The state of the task. */
  state: Name,
  /** The steps that moved, and where they stand now. */
  steps: Type.Array(
    Type.Object({
      /** The name of the step. */
      name: Name,
      /** The state of the step. */
      state: Name,
    }),
    { maxItems: limits.steps },
  ),
  /** Why the task is undone, or waits for an operator. */
  faultCode: nullable(Code),
  /** ISO 8601, on the state store's clock. */
  at: Instant,
});

/** Tells the submitter of a task what became of it, in order. */
export type TaskStatus = Static<typeof TaskStatusSchema>;
export const TaskStatus = defineMessage("task.status.v1", TaskStatusSchema);

const TaskAlertSchema = Type.Object({
  /** Which task; null: it is about none. */
  taskId: nullable(TaskId),
  /** The version of the task that brought it about: the same number is the same alert again. */
  episode: Count(0),
  /** What it is about. */
  kind: Type.Enum([
    "task.halted",
    "undo.failing",
    "step.delayed",
    "message.dead",
    "message.dropped",
    "store.clock_jumped",
    "breaker.opened",
    "replies.unproven",
    "signal.too_late",
    "signal.invalid",
    "signal.unclaimed",
    "schedule.blocked",
    "schedule.paused",
    "schedule.unusable",
  ]),
  /** Which step of the task; null: it is about none. */
  step: nullable(Name),
  /** Why: a fault code. */
  code: Code,
  /** What more there is to say, for people. */
  detail: nullable(Words),
  /** ISO 8601, on the state store's clock. */
  at: Instant,
});

/** A person must look. */
export type TaskAlert = Static<typeof TaskAlertSchema>;
export const TaskAlert = defineMessage("task.alert.v1", TaskAlertSchema);
