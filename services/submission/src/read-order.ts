import { createHash } from "node:crypto";
import { isStatusQueue, limits, payloadFaults } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { SubmittedOrder } from "@holdfast/orders";
import type { NewTask } from "@holdfast/state-store";
import { type FieldFault, Problem } from "./problem.ts";

interface Envelope {
  readonly workflow: string;
  readonly idempotencyKey: string | undefined;
  /** The queue that is to hear what becomes of the order. */
  readonly replyTo: string | undefined;
  readonly correlationId: string | undefined;
  /** How long the key stands for this order, in milliseconds; 24 hours unless said otherwise. */
  readonly keepKeyFor?: number;
}

/** Checks the body of a submission, and makes it the task and the order that are written down. */
export function readOrder(body: unknown, envelope: Envelope): NewTask {
  const faults = payloadFaults(body);
  if (faults.length > 0) {
    throw new Problem(422, "order.invalid", `The order ${faults.join(" and ")}.`);
  }
  const result = SubmittedOrder.safeParse(body);
  if (!result.success) {
    const errors = result.error.issues.flatMap(toErrors).slice(0, mostErrors);
    throw new Problem(422, "order.invalid", "The order failed validation; see errors.", errors);
  }
  const order = result.data;
  const input = order as unknown as Json;
  return {
    tenant: "default",
    workflow: envelope.workflow,
    input,
    priority: 0,
    replyTo: readReplyTo(envelope.replyTo),
    correlationId: readCorrelationId(envelope.correlationId),
    idempotency: readKey(envelope, input),
    order: {
      customer: order.customer.id,
      currency: order.currency,
      total: order.total,
      lines: order.lines,
    },
  };
}

/** An order can be wrong in thousands of places; the answer stays small. */
const mostErrors = limits.refusals;
const longestKey = 200;

type Issue = NonNullable<ReturnType<typeof SubmittedOrder.safeParse>["error"]>["issues"][number];

const toErrors = (issue: Issue): readonly FieldFault[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        detail: "unknown field: an order has no such field",
      }))
    : [{ pointer: pointerTo(issue.path), detail: issue.message }];

/** RFC 6901. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  path
    .map((key) =>
      String(key).slice(0, longestKey).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"),
    )
    .map((key) => `/${key}`)
    .join("");

/** What may stand in a header of HTTP and in a property of a message alike. */
export const visible = /^[\x21-\x7e]{1,255}$/;

/** Any other queue would be one of ours, and a submission has no business there. */
function readReplyTo(queue: string | undefined): string | null {
  if (queue === undefined || isStatusQueue(queue)) return queue ?? null;
  throw new Problem(
    400,
    "request.reply_to_invalid",
    "reply-to names your own queue: status. and up to 200 letters, digits, dots, dashes.",
  );
}

function readCorrelationId(id: string | undefined): string | null {
  if (id === undefined || visible.test(id)) return id ?? null;
  throw new Problem(
    400,
    "request.correlation_id_invalid",
    "correlation-id must be 1 to 255 visible ASCII characters.",
  );
}

function readKey(envelope: Envelope, input: Json): NewTask["idempotency"] {
  const { idempotencyKey: key, keepKeyFor: keepFor } = envelope;
  if (key === undefined) return null;
  if (!visible.test(key)) {
    throw new Problem(
      400,
      "request.idempotency_key_invalid",
      "Idempotency-Key must be 1 to 255 visible ASCII characters.",
    );
  }
  // The order of the keys is the schema's, not the sender's: the same order is the same hash.
  const hash = createHash("sha256").update(JSON.stringify(input)).digest("hex");
  return { key, hash, ...(keepFor === undefined ? {} : { keepFor }) };
}
