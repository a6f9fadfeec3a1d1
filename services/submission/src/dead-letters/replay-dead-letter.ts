import type { OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { DeadLetterRequest, OperationsStore } from "@holdfast/state-store";
import { Problem } from "../problem.ts";
import { mustBeClosed } from "./must-be-closed.ts";
import { type ReplayRules, replayOf } from "./replay-of.ts";

/** Publishes, under the name of this process's own user. */
export type Publish = (message: OutgoingMessage) => Promise<PublishResult>;

export interface ReplayDependencies {
  readonly store: OperationsStore;
  readonly publish: Publish;
  readonly replays: ReplayRules;
}

/**
 * Sends a dead letter once more. It stays until a queue has it: when the process dies in between,
 * it is sent again under the same message id, which changes nothing.
 */
export async function replayDeadLetter(
  request: DeadLetterRequest,
  { store, publish, replays }: ReplayDependencies,
): Promise<void> {
  const deadLetter = await store.findDeadLetter({ id: request.id });
  if (deadLetter === null) return mustBeClosed(request, await store.findDeadLetterAction(request));
  const replay = replayOf(deadLetter, replays);
  if (replay.kind === "refused") {
    throw new Problem(409, "message.not_replayable", replay.reason);
  }
  const result = await publish({ ...replay.message, body: deadLetter.body });
  mustBeStored(result, replay.message.exchange);
  mustBeClosed(request, await store.closeDeadLetter(request));
}

function mustBeStored(result: PublishResult, exchange: string): void {
  if (result === "unroutable") {
    throw new Problem(
      409,
      "message.unroutable",
      `No queue takes messages from ${exchange} now. The dead letter stays: declare the queue again, or discard the dead letter.`,
    );
  }
  if (result === "unknown") {
    throw new Problem(
      503,
      "broker.unconfirmed",
      "RabbitMQ did not confirm the message. The dead letter stays: send the same request again.",
    );
  }
}
