import type { Json } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, Count, Name, Payload, TaskId, Token, Words } from "../limits/parts.ts";
import { storableText } from "../limits/storable-text.ts";
import { defineMessage } from "./message.ts";

/** Whether the attempt may have changed anything at the remote service. */
const Effect = Type.Union([Type.Literal("none"), Type.Literal("unknown")]);

const StepReplySchema = Type.Object({
  taskId: TaskId,
  step: Name,
  attempt: Count(1),
  token: Token,
  outcome: Type.Union([
    Type.Object({ kind: Type.Literal("completed"), output: Payload }),
    Type.Object({
      kind: Type.Literal("failed"),
      /** `area.what`, such as `payments.declined`. */
      code: Code,
      message: Words,
      transient: Type.Boolean(),
      /** The remote service asked not to be called before. */
      retryAfterMs: Type.Optional(Count(0)),
      /** False: the remote service was not called at all, so nothing failed; the step is requeued. */
      attempted: Type.Optional(Type.Boolean()),
      effect: Type.Optional(Effect),
      /** Whether the broker had delivered this request before: then `effect` speaks for this delivery only. */
      redelivered: Type.Optional(Type.Boolean()),
    }),
    /** The Agent was cancelled, and stopped. */
    Type.Object({ kind: Type.Literal("stopped"), effect: Effect }),
  ]),
  /** How many requests this Agent would take in one message. A wish: it copes with any number. */
  takes: Type.Optional(Count(1)),
});

/** What an Agent made of a `StepRequest`. The three outcomes are closed for good. */
export type StepReply = Static<typeof StepReplySchema>;

export const StepReply = defineMessage("step.reply.v1", StepReplySchema, { adjust: adjustFailure });

/**
 * The words of a failure are for people, and its rest is a wish: what of them cannot be kept is made
 * to fit. To refuse the reply would lose the failure itself.
 */
function adjustFailure(message: Json): Json {
  const outcome = fieldsOf(fieldsOf(message)["outcome"]);
  if (outcome["kind"] !== "failed") return message;
  const { code, message: words, retryAfterMs } = outcome;
  const adjusted = {
    ...outcome,
    ...(typeof code === "string" && { code: storableText(code, limits.code) }),
    ...(typeof words === "string" && { message: storableText(words, limits.words) }),
    ...(typeof retryAfterMs === "number" && {
      retryAfterMs: Math.min(retryAfterMs, limits.integer),
    }),
  };
  return { ...fieldsOf(message), outcome: adjusted };
}

const fieldsOf = (json: Json | undefined): { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)
    ? (json as { readonly [key: string]: Json })
    : {};
