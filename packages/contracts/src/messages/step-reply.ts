import type { Json } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import { Code, ContractHash, Count, Name, Payload, TaskId, Token, Words } from "../limits/parts.ts";
import { printableText, readableText } from "../limits/storable-text.ts";
import { defineMessage, fieldsOf } from "./message.ts";

/** Whether the attempt may have changed anything at the remote service. */
const effect = (description: string) =>
  Type.Union([Type.Literal("none"), Type.Literal("unknown")], { description });

const StepReplySchema = Type.Object({
  /** Which task. */
  taskId: TaskId,
  /** Which of its steps. */
  step: Name,
  /** The number of the attempt, as the request has it. */
  attempt: Count(1),
  /** The token of the attempt, as the request has it. */
  token: Token,
  /** What became of the attempt. */
  outcome: Type.Union([
    Type.Object({
      kind: Type.Literal("completed", { description: "The work is done." }),
      /** What it returned; null for an undo. A reply without it is read as one with null. */
      output: Payload,
    }),
    Type.Object({
      kind: Type.Literal("failed", { description: "It is not done, or that is not known." }),
      /** `area.what`, such as `payments.declined`. */
      code: Code,
      /** A text for people. */
      message: Words,
      /** Whether a retry may help. */
      transient: Type.Boolean(),
      /** The remote service asked not to be called before. */
      retryAfterMs: Type.Optional(Count(0)),
      /**
       * Whether the remote service was called. False: it was not called at all, so nothing failed;
       * the step is requeued.
       */
      attempted: Type.Optional(Type.Boolean()),
      effect: Type.Optional(
        effect(
          "`none`: the remote service did nothing under this key, and never will. Absent: that is not known.",
        ),
      ),
      /**
       * Whether the broker had delivered this request before: then `effect` speaks for this
       * delivery only.
       */
      redelivered: Type.Optional(Type.Boolean()),
      /**
       * The hash of the contract by which this instance refused the input. If the workflow was made
       * with another, nothing failed: another instance may read the request.
       */
      contract: Type.Optional(ContractHash),
    }),
    Type.Object({
      kind: Type.Literal("stopped", { description: "The Agent was cancelled, and stopped." }),
      effect: effect("`none`: the remote service certainly did nothing."),
    }),
  ]),
  /**
   * How many requests this Agent would take in one message. A request: it copes with any number.
   */
  bundleSize: Type.Optional(Count(1)),
});

/** What an Agent made of a `StepRequest`. The three outcomes are closed for good. */
export type StepReply = Static<typeof StepReplySchema>;

export const StepReply = defineMessage("step.reply.v1", StepReplySchema, { adjust: adjustOutcome });

/**
 * The words of a failure are for people, and its rest is a request: what of them cannot be kept is
 * made to fit. To refuse the reply would lose the failure itself. Languages leave out what is
 * empty: an output that is absent is null.
 */
function adjustOutcome(message: Json): Json {
  const outcome = fieldsOf(fieldsOf(message)["outcome"]);
  if (outcome["kind"] === "completed" && outcome["output"] === undefined) {
    return { ...fieldsOf(message), outcome: { ...outcome, output: null } };
  }
  if (outcome["kind"] !== "failed") return message;
  const { code, message: words, retryAfterMs } = outcome;
  const adjusted = {
    ...outcome,
    ...(typeof code === "string" && { code: printableText(code, limits.code) }),
    ...(typeof words === "string" && { message: readableText(words, limits.words) }),
    ...(typeof retryAfterMs === "number" && {
      retryAfterMs: Math.min(retryAfterMs, limits.integer),
    }),
  };
  return { ...fieldsOf(message), outcome: adjusted };
}
