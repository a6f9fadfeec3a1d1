import type { Json } from "@holdfast/domain";
import { ask, type TransactionClient } from "./submit-in-transaction.ts";

/** A signal to be sent together with what its application writes itself. */
export interface SentInTransaction {
  /** The task, which may be submitted in the same transaction. */
  readonly taskId: string;
  /** The name of the signal, for which a step of the workflow waits. */
  readonly name: string;
  /** What it says, as the workflow has it under `signals`. */
  readonly payload: Json;
  /** An id of one's own: sent again under it, it is the same signal. */
  readonly id: string;
  /** One's own queue, which gets the reason if no task gets the signal. */
  readonly replyTo?: string;
  readonly correlationId?: string;
}

const sending = "select state.signal_task($1, $2, $3::jsonb, $4, $5, $6)";

/**
 * Sends a signal in the transaction of `client`: it is sent when it commits, and never was when it
 * does not. Its login needs the role `holdfast_application` and no other. Throws a `ContractFault`
 * with `task.unknown` where there is no such task, or with `signal.invalid` for what is too large
 * to be kept: the caller then rolls the transaction back. The submission service hands it to its
 * task within a second or so of the commit. What the workflow does not take, or takes no more, is
 * refused then: as a row of `state.refused_signals`, and in the queue that `replyTo` names.
 */
export async function signalTask(
  client: TransactionClient,
  { taskId, name, payload, id, replyTo, correlationId }: SentInTransaction,
): Promise<void> {
  const values = [
    taskId,
    name,
    JSON.stringify(payload),
    id,
    replyTo ?? null,
    correlationId ?? null,
  ];
  await ask(client, sending, values);
}
