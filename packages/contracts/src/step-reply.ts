import { type Static, Type } from "typebox";
import { defineMessage } from "./message.ts";
import { AnyJson, Name, TaskId, Token } from "./parts.ts";

/** Whether the attempt may have changed anything at the remote service. */
const Effect = Type.Union([Type.Literal("none"), Type.Literal("unknown")]);

const StepReplySchema = Type.Object({
  taskId: TaskId,
  step: Name,
  attempt: Type.Integer({ minimum: 1 }),
  token: Token,
  outcome: Type.Union([
    Type.Object({ kind: Type.Literal("completed"), output: AnyJson }),
    Type.Object({
      kind: Type.Literal("failed"),
      /** `area.what`, such as `payments.declined`. */
      code: Type.String({ minLength: 1, maxLength: 200 }),
      message: Type.String({ maxLength: 2_000 }),
      transient: Type.Boolean(),
      /** The remote service asked not to be called before. */
      retryAfterMs: Type.Optional(Type.Integer({ minimum: 0 })),
      /** False: the remote service was not called at all, so nothing failed; the step is put back. */
      attempted: Type.Optional(Type.Boolean()),
      effect: Type.Optional(Effect),
    }),
    /** The Agent was told to stop, and did. */
    Type.Object({ kind: Type.Literal("stopped"), effect: Effect }),
  ]),
  /** How many requests this Agent would take in one message. A wish: it copes with any number. */
  takes: Type.Optional(Type.Integer({ minimum: 1 })),
});

/** What an Agent made of a `StepRequest`. The three outcomes are closed for good. */
export type StepReply = Static<typeof StepReplySchema>;

export const StepReply = defineMessage("step.reply.v1", StepReplySchema);
