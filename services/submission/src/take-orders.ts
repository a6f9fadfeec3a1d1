import { parseJson } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Failpoint, Logger } from "@holdfast/runtime";
import type { NewTask, StateStore } from "@holdfast/state-store";
import { Problem } from "./problem.ts";
import { readOrder } from "./read-order.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks">;
  readonly workflow: string;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
}

interface Taken {
  readonly delivery: Delivery;
  readonly task: NewTask;
}

/**
 * Orders by message instead of HTTP: the body is the order, `message_id` its idempotency key, so that
 * a redelivery makes no second one. Acknowledged once they are durable. What is no order, or comes
 * with the key of another one, goes to the dead letters.
 */
export function takeOrders({ store, workflow, hint, log, failpoint, actor }: Dependencies) {
  const refuse = (delivery: Delivery, detail: string): void => {
    log.warn({ messageId: delivery.messageId, detail }, "order refused");
    delivery.reject();
  };

  const read = (delivery: Delivery): readonly Taken[] => {
    try {
      const body: unknown = parseJson(delivery.body);
      const { replyTo, correlationId } = delivery;
      const envelope = { workflow, idempotencyKey: keyOf(delivery), replyTo, correlationId };
      return [{ delivery, task: readOrder(body, envelope) }];
    } catch (error) {
      if (!(error instanceof Problem) && !(error instanceof SyntaxError)) throw error;
      refuse(delivery, error.message);
      return [];
    }
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const taken = batch.flatMap(read);
    if (taken.length === 0) return;
    const tasks = taken.map(({ task }) => task);
    failpoint("submission.accepting");
    const submitted = await store.submitTasks(tasks, { actor });
    failpoint("submission.accepted");
    taken.forEach(({ delivery }, index) => {
      if (submitted[index]?.kind === "conflict")
        refuse(delivery, "the message_id is another order's");
    });
    hint();
  };
}

function keyOf({ messageId }: Delivery): string {
  if (messageId !== undefined) return messageId;
  throw new Problem(400, "request.idempotency_key_missing", "The message has no message_id.");
}
