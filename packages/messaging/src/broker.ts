import type { TraceContext } from "@holdfast/domain";
import type { CanaryQueueEvents } from "./connection/keep-canary-queue.ts";
import type { KeptProperties } from "./consume/kept-properties.ts";

/** What is to be published: persistent and mandatory, unless it is transient. */
export interface OutgoingMessage {
  /**
   * The exchange; empty: the default one, which leads to the queue named by `routingKey`. No
   * service may write to it.
   */
  readonly exchange: string;
  readonly routingKey: string;
  readonly type: string;
  readonly messageId: string;
  readonly body: Buffer;
  readonly correlationId?: string;
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  /**
   * Its place in a trace: goes into the headers `traceparent` and `tracestate`. Null or absent:
   * they are left out.
   */
  readonly trace?: TraceContext | null;
  /**
   * Whether it is to be handled before others. Quorum queues of RabbitMQ 4 deliver it before
   * others, too; those of RabbitMQ 3 do not.
   */
  readonly isUrgent?: boolean;
  /** Milliseconds after which the broker drops it to the dead letters. */
  readonly expirationMs?: number;
  /** A hint that may be lost: the broker neither returns it nor keeps it on disk. */
  readonly transient?: boolean;
  /** `application/json` unless said otherwise. */
  readonly contentType?: string;
  /** Must be the user of this connection, or the broker closes the channel. */
  readonly userId?: string;
  /**
   * May go in one message with others of the same `key` that are published in the same turn, at
   * most so many: they go the same way, and share what becomes of it. Consumers see no difference.
   */
  readonly bundle?: { readonly key: string; readonly most: number };
}

/**
 * `stored`: a queue has it, durably. `unroutable`: no queue took it. `unknown`: refused, timed out,
 * or the connection was lost; it may be stored all the same.
 */
export type PublishResult = "stored" | "unroutable" | "unknown";

/**
 * A message that is being handled. It is acknowledged once; acknowledging after its channel died
 * does nothing.
 */
export interface Delivery {
  readonly body: Buffer;
  /** Bytes of the body as it came; more than `body` has where that was cut. */
  readonly size: number;
  readonly type: string | undefined;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  /** The sender, as the broker vouches for. */
  readonly userId: string | undefined;
  readonly replyTo: string | undefined;
  readonly routingKey: string;
  /** Its publisher has said that it is to be handled before others. */
  readonly isUrgent: boolean;
  /** Its header of a name, as it came: anything at all; undefined: it has none. */
  readonly header?: (name: string) => unknown;
  /**
   * Its place in a trace, also of one that came with others; null or absent: none, or none that can
   * be read.
   */
  readonly trace?: TraceContext | null;
  /** The first reason why a dead letter died (`expired`, `rejected`, `delivery_limit`, …). */
  readonly deathReason: string | undefined;
  /** What must be kept of it beside its body, for a dead letter that may be sent once more. */
  readonly keep?: () => KeptProperties;
  /** The broker has delivered it before. */
  readonly redelivered: boolean;
  /**
   * Whether its channel is still open. False: the broker delivers it again, unless it was
   * acknowledged before.
   */
  isCurrent(): boolean;
  /** Others came in the same message, and are dead or delivered again if this one is. */
  readonly isBundled: boolean;
  ack(): void;
  /**
   * Resolves when the whole message is acknowledged: at once after `ack`, unless others in it are
   * not.
   */
  whenAcknowledged(): Promise<void>;
  /**
   * Publishes on the channel that it came on. The broker carries out a channel in order, so once it
   * has this message, it has carried out what was said of the delivery before, too: an `ack` by
   * itself is never confirmed.
   */
  readonly answer: (message: OutgoingMessage) => Promise<PublishResult>;
  /** Dead-letters it: no consumer can read it. */
  reject(): void;
  /** Requeues it for another consumer. */
  requeue(): void;
}

export interface ConsumeOptions {
  /**
   * Prefetch: how many messages may be unacknowledged at a time. With `maxBytes`, it bounds their
   * memory.
   */
  readonly prefetch: number;
  /**
   * The largest message that is handed over, in bytes; as of the connection unless said otherwise.
   */
  readonly maxBytes?: number;
  /** Larger messages are rejected unread, unless it says to cut them off there. */
  readonly oversized?: "reject" | "cut";
}

export interface BatchOptions extends ConsumeOptions {
  /** How many deliveries make a batch full. */
  readonly max: number;
  /**
   * How long a batch that is not full waits for more, in milliseconds. A lone message does not wait
   * unless said otherwise.
   */
  readonly collectFor?: number;
  /**
   * Stores a delivery that can never be handled, with the reason; when it throws, it is called
   * again later. Without it, such a delivery is rejected, and its reason is in the log only.
   */
  readonly deadLetter?: (delivery: Delivery, error: unknown) => Promise<void>;
}

/** A consumer that fails to handle a part of what it has been given. */
export interface StalledConsumer {
  readonly queue: string;
  /** How many deliveries failed together. */
  readonly messages: number;
  /** How often they were tried. */
  readonly failures: number;
  /** Milliseconds since their first failure. */
  readonly forMs: number;
  readonly error: string;
}

/** Queues that several consume, each of whom has one that comes to it first. */
export interface SharedQueues {
  /** Dealt out to all of them in turn. */
  readonly common: string;
  /**
   * Each is one consumer's own; the others get what it does not take, or all of it when it is gone.
   */
  readonly owned: readonly string[];
  /** Whether to claim one of them; yes by default. */
  readonly claimOwn?: boolean;
}

export interface SharedConsumer extends AsyncDisposable {
  /** Ours at the moment; null: there are more consumers than queues. */
  readonly own: string | null;
}

/** The consumer of one queue. */
export interface QueueConsumer extends AsyncDisposable {
  /**
   * Changes how many messages may be unacknowledged at a time, also on connections to come. 0
   * cancels the consumer, so that others get the messages, until it is raised again; what was
   * delivered before stays here to be acknowledged.
   */
  limit(prefetch: number): Promise<void>;
}

/**
 * `refused`: there is no such queue or exchange, or no right to bind them. `unknown`: the broker
 * did not answer.
 */
export type BindResult = "bound" | "refused" | "unknown";

export interface Binding {
  readonly exchange: string;
  readonly queue: string;
  readonly routingKey: string;
}

export interface Broker extends AsyncDisposable {
  /** Publishes. Never throws for trouble with the broker: that is what the result says. */
  publish(message: OutgoingMessage): Promise<PublishResult>;
  /**
   * Hands over each message by itself. What `handle` leaves unacknowledged is acknowledged after
   * it.
   */
  consume(
    queue: string,
    options: ConsumeOptions,
    handle: (delivery: Delivery) => Promise<void>,
  ): Promise<QueueConsumer>;
  /**
   * Hands over what an exchange sends to all who listen, from now on: through a queue of our own
   * that goes with its channel. What is sent while there is none is missed, and what `handle`
   * throws at is dropped.
   */
  listen(exchange: string, handle: (delivery: Delivery) => Promise<void>): Promise<AsyncDisposable>;
  /**
   * Hands over what has come in since the last batch; a lone message does not wait. One batch at a
   * time, but while one is handled a second may begin, if it is full. Urgent messages make batches
   * of their own, one at a time beside the others. What `handle` leaves unacknowledged is
   * acknowledged after it, in the order of arrival. When it throws a transient fault, the same
   * batch is handed over again after a while: nothing is requeued, so an outage of the store burns
   * no delivery limit. When it throws anything else, the batch is halved until the culprit is
   * alone, which is dead-lettered.
   */
  consumeBatches(
    queue: string,
    options: BatchOptions,
    handle: (batch: readonly Delivery[]) => Promise<void>,
  ): Promise<AsyncDisposable>;
  /**
   * Consumes as `consumeBatches` does, from all these queues as if they were one. One of `owned`
   * becomes ours until our connection is lost; with the next connection it may be another one.
   */
  consumeShared(
    queues: SharedQueues,
    options: BatchOptions,
    handle: (batch: readonly Delivery[]) => Promise<void>,
  ): Promise<SharedConsumer>;
  /**
   * Looks at each new connection for a queue that marks this broker, and declares it where it is
   * not, once `missing` has resolved.
   */
  keepCanaryQueue(queue: string, events: CanaryQueueEvents): Promise<AsyncDisposable>;
  /** Binds a queue to an exchange. */
  bind(binding: Binding): Promise<BindResult>;
  /**
   * Declares the queue of an Agent that has become known. False: the topology is not ours to
   * declare, or the broker did not answer.
   */
  declareAgent(agent: string): Promise<boolean>;
  /** How many messages and consumers a queue has; null: there is no such queue, or no broker. */
  inspect(queue: string): Promise<{ readonly messages: number; readonly consumers: number } | null>;
  /** Consumers that fail at the moment. */
  readonly stalledConsumers: readonly StalledConsumer[];
  /**
   * Milliseconds since the oldest message in batches of this queue was begun that is not handled
   * yet; 0: there is none. Shared queues go by the name of the common one.
   */
  oldestMs(queue: string): number;
  /** Both connections are up, nothing is blocked, and every consumer has its channel. */
  readonly isReady: boolean;
}
