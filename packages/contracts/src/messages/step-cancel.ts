import { type Static, Type } from "typebox";
import { Code, Count, Name, TaskId, Token, Words } from "../limits/parts.ts";
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
  /**
   * Present: the attempt is over, because its reply was refused. Says whose reply it was and what
   * is wrong with it.
   */
  refused: Type.Optional(
    Type.Object({
      /** The Agent that replied. */
      agent: Name,
      /** A code, such as `step.reply_invalid`. */
      code: Code,
      /** The place that is wrong in the reply, as a JSON pointer, and what must be there. */
      reason: Words,
    }),
  ),
});

/**
 * The task is to be undone: the Agent may stop this attempt, and says so with a `StepReply`. Or the
 * reply to the attempt was refused: the Agent's log says why. A hint: should it be lost, the
 * attempt ends by itself.
 */
export type StepCancel = Static<typeof StepCancelSchema>;
export const StepCancel = defineMessage("step.cancel.v1", StepCancelSchema);
