import { submissionExchange, submissionQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import { orderPoster, type PostOrder, taskIdOf } from "./post-order.ts";

/** An order to be submitted. */
interface NewOrder {
  /** Its idempotency key. */
  readonly key: string;
  readonly body: string | Buffer;
  /** The queue that gets the status messages of the order. */
  readonly replyTo?: string;
}

/**
 * `accepted` by message: the broker confirmed it, and the task's id is not known yet. `unknown`: it
 * may have been accepted, so it is to be submitted again under the same key.
 */
export type Answer =
  | { readonly kind: "accepted"; readonly taskId: string | null }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unknown" };

export type Submit = (order: NewOrder) => Promise<Answer>;

const unknown: Answer = { kind: "unknown" };
/** Client errors that say "try again". */
const transientStatuses: ReadonlySet<number> = new Set([408, 429]);

/** Submits over HTTP, to one of the services that take orders at the moment. */
export function overHttp(urls: () => readonly string[], post: PostOrder = orderPoster()): Submit {
  return async ({ key, body, replyTo }) => {
    const all = urls();
    const url = all[Math.floor(Math.random() * all.length)];
    if (url === undefined) return unknown;
    const headers = replyTo === undefined ? {} : { "reply-to": replyTo, "correlation-id": key };
    const answer = await post(url, { key, body, headers });
    if (answer === null) return unknown;
    const { status } = answer;
    if (status === 202) return { kind: "accepted", taskId: taskIdOf(answer) };
    if (status >= 500 || transientStatuses.has(status)) return unknown;
    return { kind: "refused", why: `${status} ${answer.body}` };
  };
}

/** Submits by message, through the queue of submissions. */
export const byMessage =
  (broker: Pick<Broker, "publish">): Submit =>
  async ({ key, body, replyTo }) => {
    const result = await broker.publish({
      exchange: submissionExchange,
      routingKey: submissionQueue,
      type: "order",
      messageId: key,
      correlationId: key,
      ...(replyTo === undefined ? {} : { replyTo }),
      body: Buffer.from(body),
    });
    return result === "stored" ? { kind: "accepted", taskId: null } : unknown;
  };
