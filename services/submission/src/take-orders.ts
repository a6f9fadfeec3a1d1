import { createHash } from "node:crypto";
import { isStatusQueue, parseJson, type TaskRefused } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { Failpoint, Logger } from "@holdfast/runtime";
import type { NewTask, Notice, StateStore } from "@holdfast/state-store";
import { Problem } from "./problem.ts";
import { readOrder, visible } from "./read-order.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "submitTasks" | "tellRefused">;
  readonly workflow: string;
  /** Tells the Schedulers that there is something to do. */
  readonly hint: () => void;
  readonly log: Pick<Logger, "warn">;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long a `message_id` stands for its order, in milliseconds. */
  readonly keepKeysFor: number;
}

interface Taken {
  readonly delivery: Delivery;
  readonly task: NewTask;
}

interface Refused {
  readonly delivery: Delivery;
  readonly problem: Problem;
}

/**
 * Orders by message instead of HTTP: the body is the order, `message_id` its idempotency key, so that
 * a redelivery makes no second one. Acknowledged once they are durable. What is no order, or comes
 * with the key of another one, goes to the dead letters, and its submitter is told why.
 */
export function takeOrders(deps: Dependencies) {
  const { store, workflow, hint, log, failpoint, actor, keepKeysFor } = deps;

  const read = (delivery: Delivery): Taken | Refused => {
    try {
      const { replyTo, correlationId } = delivery;
      const idempotencyKey = keyOf(delivery);
      const envelope = {
        workflow,
        idempotencyKey,
        replyTo,
        correlationId,
        keepKeyFor: keepKeysFor,
      };
      return { delivery, task: readOrder(bodyOf(delivery), envelope) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { delivery, problem: error };
    }
  };

  /** Told before it is rejected: should the store be away, the message waits for it. */
  const refuse = async (refused: readonly Refused[]): Promise<void> => {
    const notices = refused.flatMap(noticesOf);
    if (notices.length > 0) await store.tellRefused(notices);
    for (const { delivery, problem } of refused) {
      const { code, message: detail, errors } = problem;
      const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
      log.warn({ messageId: delivery.messageId, code, detail, pointers }, "order refused");
      delivery.reject();
    }
  };

  const submit = async (taken: readonly Taken[]): Promise<readonly Refused[]> => {
    failpoint("submission.accepting");
    const tasks = taken.map(({ task }) => task);
    const submitted = await store.submitTasks(tasks, { actor });
    failpoint("submission.accepted");
    return taken
      .filter((_, index) => submitted[index]?.kind === "conflict")
      .map(({ delivery }) => ({ delivery, problem: keyReused() }));
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const all = batch.map(read);
    const taken = all.filter((one) => "task" in one);
    const unreadable = all.filter((one) => "problem" in one);
    const conflicts = taken.length === 0 ? [] : await submit(taken);
    await refuse([...unreadable, ...conflicts]);
    if (taken.length > 0) hint();
  };
}

function keyOf({ messageId }: Delivery): string {
  if (messageId !== undefined) return messageId;
  throw new Problem(400, "request.idempotency_key_missing", "The message has no message_id.");
}

/** The parser's own words quote the body: they would put a customer's name into the log. */
function bodyOf({ body }: Delivery): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem(400, "request.not_json", "The body is not JSON in UTF-8.");
  }
}

const keyReused = () =>
  new Problem(
    422,
    "request.idempotency_key_reused",
    "This message_id was used for another order. Use a new one.",
  );

/** For the queue that the message names, if it is one of the submitter's. */
function noticesOf({ delivery, problem }: Refused): readonly Notice[] {
  const { messageId = null, replyTo } = delivery;
  if (replyTo === undefined || !isStatusQueue(replyTo)) return [];
  // It may be what was refused.
  const correlationId = visible.test(delivery.correlationId ?? "") ? delivery.correlationId! : null;
  const { code, message: detail, errors } = problem;
  const body: TaskRefused = {
    event: "refused",
    messageId,
    correlationId,
    code,
    detail,
    errors: [...errors],
  };
  const digest = createHash("sha256")
    .update(messageId ?? "")
    .digest("hex")
    .slice(0, 32);
  return [
    {
      subject: `refused-${digest}`,
      seq: 1,
      correlationId,
      channel: "status",
      address: replyTo,
      body,
    },
  ];
}
