import {
  agentOfReply,
  deadReplyQueue,
  deadRequestQueue,
  isStatusQueue,
  replyExchange,
  replyQueues,
  signalExchange,
  signalQueue,
  submissionExchange,
  submissionQueue,
} from "@holdfast/contracts";
import type { KeptProperties, OutgoingMessage } from "@holdfast/messaging";
import type { KeptDeadLetter } from "@holdfast/state-store";
import type { OwnsStatusQueue } from "../access/status-queues.ts";

/** What decides whether a submission may be sent once more. */
export interface ReplayRules {
  /** How long its message id stands for its task, in milliseconds. */
  readonly keepKeysFor: number;
  readonly ownsStatusQueue: OwnsStatusQueue;
}

/** How a dead letter is sent once more; or one sentence that says why it cannot be. */
export type Replay =
  | {
      readonly kind: "possible";
      readonly message: Pick<
        OutgoingMessage,
        "exchange" | "routingKey" | "type" | "messageId" | "headers"
      > & { readonly correlationId?: string; readonly replyTo?: string };
    }
  | { readonly kind: "refused"; readonly reason: string };

const dead: ReadonlySet<string> = new Set([deadReplyQueue, deadRequestQueue]);
const replies: ReadonlySet<string> = new Set(replyQueues);

/**
 * Decides by what the broker said of a dead letter, not by its body. Only submissions, signals and
 * replies may be sent once more: all are recorded once however often they come. A request belongs
 * to an attempt that is over by now: repeated, it could do what was undone meanwhile.
 */
export function replayOf(
  deadLetter: Pick<
    KeptDeadLetter,
    "id" | "queue" | "age" | "size" | "kept" | "properties" | "sender"
  >,
  { keepKeysFor, ownsStatusQueue }: ReplayRules,
): Replay {
  const kept = readProperties(deadLetter.properties);
  if (kept === null) {
    return refused("An earlier release stored it, without its headers and its routing key.");
  }
  if (deadLetter.size > deadLetter.kept) {
    return refused(`Only the first ${deadLetter.kept} of its ${deadLetter.size} bytes were kept.`);
  }
  if (!kept.isWhole) {
    return refused("It has a header or a property that could not be kept as it was.");
  }
  const from = dead.has(deadLetter.queue) ? kept.diedIn : deadLetter.queue;
  if (from === submissionQueue || from === signalQueue) {
    const { replyTo } = kept;
    const isOwn = replyTo === null || ownsStatusQueue(deadLetter.sender ?? undefined, replyTo);
    if (!isOwn && isStatusQueue(replyTo)) return refused(foreignQueue);
    return from === signalQueue
      ? signalOf(kept, deadLetter.id)
      : submissionOf(kept, { age: deadLetter.age, keepKeysFor });
  }
  if (from !== null && replies.has(from)) return replyOf(kept, deadLetter.id);
  return refused(
    from !== null && dead.has(from)
      ? "It was sent to the dead letters themselves."
      : "It is no submission, no signal and no reply. The Scheduler sends requests again by itself.",
  );
}

/** It would come under the name of operations, which may name any queue. */
const foreignQueue = "Its sender may not have its status sent to the queue that it names.";

const refused = (reason: string): Replay => ({ kind: "refused", reason });

/**
 * Milliseconds from the task that a message made until it died, after its last delivery; of a short
 * time a tenth.
 */
const longestDeath = 3_600_000;

/**
 * The message id must be known as long as it may be sent again: a task may have been made under it.
 */
function submissionOf(
  kept: KeptProperties,
  { age, keepKeysFor }: { readonly age: number; readonly keepKeysFor: number },
): Replay {
  if (age >= keepKeysFor - Math.min(longestDeath, keepKeysFor / 10)) {
    return refused(
      "Message ids are not kept for longer (MESSAGE_KEYS_KEPT_FOR): it could become a second task. Its sender can publish it again.",
    );
  }
  if (kept.messageId === null) {
    return refused(
      "It has no message id: repeated, it could not be distinguished from another one.",
    );
  }
  const place = { exchange: submissionExchange, routingKey: submissionQueue };
  return { kind: "possible", message: { ...place, ...propertiesOf(kept, kept.messageId) } };
}

/** The id in its body says which signal it is, however long its task is kept. */
function signalOf(kept: KeptProperties, id: string): Replay {
  const place = { exchange: signalExchange, routingKey: signalQueue };
  const messageId = kept.messageId ?? `dead-letter-${id}`;
  return { kind: "possible", message: { ...place, ...propertiesOf(kept, messageId) } };
}

/**
 * The token in a reply is what makes it count: a routing key that was forged leads to a reply that
 * is refused.
 */
function replyOf(kept: KeptProperties, id: string): Replay {
  const { routingKey } = kept;
  if (routingKey === null || agentOfReply(routingKey) === null) {
    return refused("It was not sent under the name of an Agent.");
  }
  const messageId = kept.messageId ?? `dead-letter-${id}`;
  const place = { exchange: replyExchange, routingKey };
  return { kind: "possible", message: { ...place, ...propertiesOf(kept, messageId) } };
}

const propertiesOf = (
  { type, correlationId, replyTo, headers }: KeptProperties,
  messageId: string,
) => ({
  messageId,
  type: type ?? "",
  headers,
  ...(correlationId === null ? {} : { correlationId }),
  ...(replyTo === null ? {} : { replyTo }),
});

const texts = ["diedIn", "routingKey", "correlationId", "replyTo", "type", "messageId"] as const;

/** Reads the kept properties; null: they are not what this release keeps. */
function readProperties(found: unknown): KeptProperties | null {
  if (typeof found !== "object" || found === null) return null;
  const kept = found as Readonly<Record<string, unknown>>;
  const { headers, isWhole } = kept;
  const areTexts = texts.every((name) => kept[name] === null || typeof kept[name] === "string");
  const hasHeaders = typeof headers === "object" && headers !== null && !Array.isArray(headers);
  return areTexts && hasHeaders && typeof isWhole === "boolean" ? (found as KeptProperties) : null;
}
