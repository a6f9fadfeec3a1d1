import { createHash } from "node:crypto";
import { isStatusQueue, payloadFaults } from "@holdfast/contracts";
import { type Json, type TraceContext, traceText } from "@holdfast/domain";
import type { NewTask } from "@holdfast/state-store";
import { codeAt, type Noun, taskNoun } from "./noun.ts";
import { Problem } from "./problem.ts";
import { type AskedNaming, readNaming } from "./read-naming.ts";
import { type AskedUrgency, readFairness, readPriority } from "./read-urgency.ts";
import type { OpenWorkflow } from "./workflow-directory.ts";

interface Envelope extends AskedUrgency, AskedNaming {
  readonly workflow: OpenWorkflow;
  readonly noun: Noun;
  readonly idempotencyKey: string | undefined;
  /** The queue that is to hear what becomes of the task. */
  readonly replyTo: string | undefined;
  readonly correlationId: string | undefined;
  /** How long the key stands for this task, in milliseconds; 24 hours unless said otherwise. */
  readonly keepKeyFor?: number;
  /** The trace that it belongs to; null or absent: none. */
  readonly trace?: TraceContext | null;
}

/** Checks an input by the schema of its workflow, and makes it the task that is written down. */
export function readTask(input: unknown, envelope: Envelope): NewTask {
  const { workflow, noun } = envelope;
  const priority = readPriority(envelope);
  const code = codeAt(noun, "task.invalid");
  const whole = noun === taskNoun ? "input" : noun.singular;
  const faults = payloadFaults(input);
  if (faults.length > 0) throw new Problem(422, code, `The ${whole} ${faults.join(" and ")}.`);
  const errors = workflow.check(input);
  if (errors.length > 0) {
    throw new Problem(422, code, `The ${whole} failed validation; see errors.`, errors);
  }
  const json = input as Json;
  return {
    tenant: "default",
    workflow: workflow.name,
    takesActive: workflow.takesActive,
    input: json,
    priority,
    fairness: readFairness(envelope, workflow.definition, json),
    replyTo: readReplyTo(envelope.replyTo),
    correlationId: readCorrelationId(envelope.correlationId),
    ...readNaming(envelope),
    ...(envelope.trace == null ? {} : { traceContext: traceText(envelope.trace) }),
    idempotency: readKey(envelope, json),
  };
}

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
  const { idempotencyKey: key, keepKeyFor: keepFor, workflow } = envelope;
  if (key === undefined) return null;
  if (!visible.test(key)) {
    throw new Problem(
      400,
      "request.idempotency_key_invalid",
      "Idempotency-Key must be 1 to 255 visible ASCII characters.",
    );
  }
  // A newer version of the workflow may come between two requests that are the same.
  const content = `${workflow.family}\n${canonical(input)}`;
  const hash = createHash("sha256").update(content).digest("hex");
  return { key, hash, ...(keepFor === undefined ? {} : { keepFor }) };
}

/** JSON with its keys in order: in which order they were sent is the sender's business. */
const canonical = (json: Json): string =>
  JSON.stringify(json, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
