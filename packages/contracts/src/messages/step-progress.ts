import type { Json } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Count, Name, Note, TaskId, Token } from "../limits/parts.ts";
import { readableText } from "../limits/storable-text.ts";
import { defineMessage, fieldsOf } from "./message.ts";

const StepProgressSchema = Type.Object({
  /** Signs of attempts, as many as fit into the largest hint. */
  attempts: Type.Array(
    Type.Object({
      /** Which task. */
      taskId: TaskId,
      /** Which of its steps. */
      step: Name,
      /** The number of the attempt, as the request has it. */
      attempt: Count(1),
      /** The token of the attempt, as the request has it. */
      token: Token,
      /** Milliseconds for which the Agent has worked on it, by its own monotonic clock. */
      runningMs: Count(0),
      /** The handler said that it is at work. Absent: the Agent says only that it has begun. */
      heartbeat: Type.Optional(
        Type.Object({
          /** How much is done, by the handler's own estimate. */
          percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
          /** A text for people. */
          note: Type.Optional(Note),
        }),
      ),
    }),
    { maxItems: limits.signs },
  ),
  /**
   * The broker took an answer of this Agent for so many milliseconds until now too late for its
   * deadline, or not at all. What was silent of it meanwhile is not counted as a failure.
   */
  unansweredMs: Type.Optional(Count(1)),
});

/**
 * An Agent says which attempts it is at work on. From the first such message on, the deadline of an
 * attempt counts from its start; a heartbeat extends it, as far as the step allows. A hint: should
 * it be lost, the deadline stays as it was.
 */
export type StepProgress = Static<typeof StepProgressSchema>;
export const StepProgress = defineMessage("step.progress.v1", StepProgressSchema, {
  adjust: adjustNotes,
});

/**
 * A note is for people: to refuse the message for it would lose the signs of all attempts in it.
 */
function adjustNotes(message: Json): Json {
  const { attempts } = fieldsOf(message);
  if (!Array.isArray(attempts)) return message;
  return { ...fieldsOf(message), attempts: (attempts as readonly Json[]).map(adjustNote) };
}

function adjustNote(attempt: Json): Json {
  const { heartbeat } = fieldsOf(attempt);
  const { note } = fieldsOf(heartbeat);
  if (typeof note !== "string") return attempt;
  const adjusted = { ...fieldsOf(heartbeat), note: readableText(note, limits.note) };
  return { ...fieldsOf(attempt), heartbeat: adjusted };
}
