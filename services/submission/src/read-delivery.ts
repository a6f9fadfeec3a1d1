import {
  allowedVisible,
  askedInHeaders,
  isStatusQueue,
  isVisible,
  parseJson,
} from "@holdfast/contracts";
import { ChangedJson } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { NewTask } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "./access/status-queues.ts";
import type { Reading } from "./make-tasks.ts";
import { changedJson, Problem } from "./problem.ts";

interface DeliveryRules {
  /** The workflow of messages that name none; null: they must name one. */
  readonly workflow: string | null;
  /** How long a `message_id` stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
}

/**
 * Reads messages as tasks: the body is the input, the header `workflow` names the workflow, and
 * `message_id` is the idempotency key. The other headers are those of a collection over HTTP.
 * Throws a `Problem` for a message that is no task of a stored workflow.
 */
export const deliveryReader =
  ({ workflow: usual, keepKeysFor, ownsStatusQueue }: DeliveryRules) =>
  async (delivery: Delivery, { find, readIn }: Reading): Promise<NewTask> => {
    const { replyTo, correlationId, header = () => undefined } = delivery;
    const idempotencyKey = keyOf(delivery);
    mustOwnQueue(delivery, ownsStatusQueue);
    const input = bodyOf(delivery);
    const named = workflowIn(delivery);
    const workflow = await find(mustBeName(named ?? usual));
    const asked = { input, ...askedInHeaders(header), replyTo, correlationId, idempotencyKey };
    const how = { keepKeyFor: keepKeysFor, submittedBy: brokerName(delivery), mayRepeat: true };
    return readIn(asked, workflow, how);
  };

/**
 * Who submits a message: the user of the broker, which holds it against who publishes; null: the
 * message names none.
 */
const brokerName = ({ userId }: Delivery): string | null =>
  userId === undefined ? null : `broker:${userId}`;

function keyOf({ messageId }: Delivery): string {
  if (messageId !== undefined) return messageId;
  throw new Problem(400, "request.idempotency_key_missing", "The message has no message_id.");
}

/**
 * Holdfast publishes with rights of its own: the queue must be one that the broker lets its sender
 * read.
 */
export function mustOwnQueue({ userId, replyTo }: Delivery, owns: OwnsStatusQueue): void {
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
    if (error instanceof ChangedJson) throw changedJson(error.faults, { pointer: "", is: "input" });
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem(400, "request.not_json", "The body is not JSON in UTF-8.");
  }
}

/** The workflow that a message names; undefined: it has no such header, or no text in it. */
function workflowIn({ header }: Delivery): string | undefined {
  const named = header?.("workflow");
  return typeof named === "string" && named !== "" ? named : undefined;
}

function mustBeName(named: string | null): string {
  if (named === null) {
    throw new Problem(
      400,
      "request.workflow_missing",
      "The message names no workflow in its header `workflow`, and DEFAULT_WORKFLOW is not set.",
    );
  }
  if (isVisible(named)) return named;
  throw new Problem(
    400,
    "request.workflow_invalid",
    `The header \`workflow\` must be ${allowedVisible}.`,
  );
}
