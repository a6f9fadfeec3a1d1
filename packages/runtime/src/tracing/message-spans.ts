import { createHash } from "node:crypto";
import { atSpan, type TraceContext, traceIdOf } from "@holdfast/domain";
import type { Span, SpanOptions, Tracing } from "./tracing.ts";

interface SentMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly messageId: string;
  readonly body: { readonly length: number };
}

interface ReceivedMessage {
  readonly queue: string;
  readonly messageId: string | undefined;
  readonly body: { readonly length: number };
  readonly redelivered: boolean;
  readonly trace: TraceContext | null;
}

type More = Omit<SpanOptions, "kind" | "parent">;

/** A span for the publishing of one message: its context goes into the headers. */
export const sendSpan = (
  tracing: Tracing,
  { exchange, routingKey, messageId, body }: SentMessage,
  { attributes, ...options }: More & Pick<SpanOptions, "parent">,
): Span =>
  tracing.span(`send ${exchange}`, {
    ...options,
    kind: "producer",
    attributes: {
      "messaging.system.name": "rabbitmq",
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "messaging.destination.name": exchange,
      "rabbitmq.destination.routing_key": routingKey,
      "messaging.message.id": messageId,
      "messaging.message.body.size": body.length,
      ...attributes,
    },
  });

/**
 * A span for the handling of one message. Each message has its own context, also one of a bundle or
 * of a batch, so its sender is its parent: the trace of one task is one tree.
 */
export const processSpan = (
  tracing: Tracing,
  { queue, messageId, body, redelivered, trace }: ReceivedMessage,
  { attributes, ...options }: More = {},
): Span =>
  tracing.span(`process ${queue}`, {
    ...options,
    kind: "consumer",
    parent: trace,
    attributes: {
      "messaging.system.name": "rabbitmq",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": queue,
      "messaging.message.id": messageId,
      "messaging.message.body.size": body.length,
      "holdfast.redelivered": redelivered || undefined,
      ...attributes,
    },
  });

interface Attempt {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
}

/**
 * The span of an attempt. Its id follows from the attempt, so each process that knows the trace can
 * refer to it: the Scheduler that retries hours later, the Supervisor, the Scheduler that
 * dispatches the undo. Nothing has to be stored for it.
 */
export function attemptSpan(
  trace: TraceContext,
  { taskId, step, attempt }: Attempt,
): { readonly spanId: string; readonly context: TraceContext } {
  const digest = createHash("sha256").update(`${traceIdOf(trace)} ${taskId} ${step} ${attempt}`);
  const spanId = digest.digest("hex").slice(0, 16);
  return { spanId, context: atSpan(trace, spanId) };
}
