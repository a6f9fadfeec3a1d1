import { isStatusQueue, parseJson } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import type { NewTask } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import { taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { readTask, visible } from "./read-task.ts";
import type { OpenWorkflow, WorkflowDirectory } from "./workflow-directory.ts";

interface Options {
  readonly directory: Pick<WorkflowDirectory, "nounOf">;
  /** Of messages that name none; null: they must name one. */
  readonly workflow: string | null;
  /** How long a `message_id` stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
}

interface Finding {
  readonly find: (asked: string) => Promise<OpenWorkflow>;
  /** The messages of a batch are checked one after the other, in as many turns of the event loop as that takes. */
  readonly inTurn: <T>(work: () => T) => Promise<T>;
}

/**
 * Reads messages as tasks: the body is the input, the header `workflow` names the workflow, and `message_id`
 * is the idempotency key. The headers `task-priority`, `fairness-key`, `fairness-weight`, `task-key`, `task-labels` and
 * `not-before` are as in HTTP. Throws a `Problem` for a message that is no task of a stored workflow.
 */
export const deliveryReader =
  ({ directory, workflow: usual, keepKeysFor, ownsStatusQueue }: Options) =>
  async (delivery: Delivery, { find, inTurn }: Finding): Promise<NewTask> => {
    const { replyTo, correlationId, priority, fairnessKey, fairnessWeight } = delivery;
    const { key, labels, notBefore } = delivery;
    const idempotencyKey = keyOf(delivery);
    mustOwnQueue(delivery, ownsStatusQueue);
    const body = bodyOf(delivery);
    const workflow = await find(workflowNameOf(delivery, usual));
    const isNamed = delivery.workflow !== undefined;
    const noun = isNamed ? taskNoun : directory.nounOf(workflow.family);
    const envelope = {
      workflow,
      noun,
      idempotencyKey,
      replyTo,
      correlationId,
      priority,
      fairnessKey,
      fairnessWeight,
      key,
      labels,
      notBefore,
      keepKeyFor: keepKeysFor,
    };
    return inTurn(() => readTask(body, envelope));
  };

function keyOf({ messageId }: Delivery): string {
  if (messageId !== undefined) return messageId;
  throw new Problem(400, "request.idempotency_key_missing", "The message has no message_id.");
}

/** Holdfast publishes with rights of its own: the queue must be one that the broker lets its sender read. */
function mustOwnQueue({ userId, replyTo }: Delivery, owns: OwnsStatusQueue): void {
  if (replyTo === undefined || !isStatusQueue(replyTo) || owns(userId, replyTo)) return;
  const sender =
    userId === undefined
      ? "The message names no user_id, so it may name no queue for its status"
      : `${replyTo} is no status queue of the broker user ${userId}`;
  throw new Problem(
    403,
    "access.denied",
    `${sender}: publish with user_id and reply-to status.<user>, or have STATUS_WORDS or ANONYMOUS_MAY of submission allow it.`,
  );
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

function workflowNameOf({ workflow }: Delivery, usual: string | null): string {
  const named = workflow ?? usual;
  if (named === null) {
    throw new Problem(
      400,
      "request.workflow_missing",
      "The message names no workflow in its header `workflow`, and WORKFLOW is not set.",
    );
  }
  if (visible.test(named)) return named;
  throw new Problem(
    400,
    "request.workflow_invalid",
    "The header `workflow` must be 1 to 255 visible ASCII characters.",
  );
}
