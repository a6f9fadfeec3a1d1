import type { Json } from "@holdfast/domain";
import { type Static, Type } from "typebox";
import { limits } from "../limits/limits.ts";
import {
  ContractHash,
  Count,
  Instant,
  Key,
  Name,
  Payload,
  TaskId,
  Token,
} from "../limits/parts.ts";
import { defineMessage } from "./message.ts";

const StepRequestSchema = Type.Object({
  /** Which task. */
  taskId: TaskId,
  /** Which of its steps. */
  step: Name,
  /** Who is asked. */
  agent: Name,
  /** What it is asked for, by its contract. */
  operation: Name,
  /** Rises with each claim of the step; only the reply to the latest one counts. */
  attempt: Count(1),
  /** Random, new with each attempt: proof that the reply answers this very request. */
  token: Token,
  /**
   * The key of the step, the same for every attempt: the remote service does the work once for each
   * key.
   */
  idempotencyKey: Key,
  /** How long the Agent may work, counted from receipt on its own monotonic clock. */
  workMs: Count(1),
  /**
   * How long it may work if its handler says in time that it is at work: each `heartbeat` gives it
   * `workMs` more, until so long after receipt. Absent: `workMs` is all that it has.
   */
  extendMs: Type.Optional(Count(1)),
  /**
   * The limit of `workMs` as an instant of the state store's clock: for people, decides nothing.
   */
  completeBy: Instant,
  /**
   * Hashes of contracts of this operation by which no instance can do what the workflow asks for,
   * as their schemas show. An instance with one of them gives the request back, as one that it
   * cannot read. Absent: there are none.
   */
  unfit: Type.Optional(Type.Array(ContractHash, { maxItems: limits.unfitContracts })),
  /** What the operation takes; null for an undo. */
  input: Payload,
  /** Present when the operation is to undo what another step did, or may have done. */
  undo: Type.Optional(
    Type.Object({
      /** Which step is undone. */
      step: Name,
      /** The idempotency key under which the step was asked for. */
      key: Key,
      /** What the step was given. */
      input: Payload,
      /** What the step returned; null when it is not known whether it happened. */
      output: Payload,
      /** `unknown`: the step may have happened or not. */
      outcome: Type.Union([Type.Literal("completed"), Type.Literal("unknown")]),
    }),
  ),
});

/**
 * The Scheduler asks an Agent to do one step. The Agent answers with a `StepReply` within `workMs`
 * of receipt, or not at all: from then on another attempt may run.
 */
export type StepRequest = Static<typeof StepRequestSchema> & { readonly input: Json };

export const StepRequest = defineMessage("step.request.v1", StepRequestSchema);
