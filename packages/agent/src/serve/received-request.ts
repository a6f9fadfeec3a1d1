import { StepRequest } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Logger, Span } from "@holdfast/runtime";
import type { Progress } from "../contract/handlers.ts";

/** A request that this instance is working on. */
export interface ReceivedRequest {
  /** The request, without its payloads if they are large: those are read again for the handler. */
  readonly request: StepRequest;
  readonly delivery: Delivery;
  /** Whether the broker delivered the request before, or is delivering it again. */
  readonly isRepeated: () => boolean;
  /** Its handling here, in the trace of its task; null: there is none. */
  readonly span: Span | null;
}

/** When an attempt has to end. */
export interface AttemptSignals {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Aborts at the deadline, or when the step need not be finished. */
  readonly stop: AbortSignal;
  /** Is called when the request has got its slot, and is begun. */
  readonly begun?: () => void;
  /** Is called when the handler says that it is at work. */
  readonly beat?: (progress: Progress) => void;
}

/** What the log says of a request. */
export const logFieldsOf = ({ agent, taskId, step, attempt, operation }: StepRequest) => ({
  agent,
  taskId,
  step,
  attempt,
  operation,
});

/** Milliseconds before the deadline by which a request must have got a slot to be begun. */
export const marginOf = ({ workMs }: StepRequest): number => Math.min(1_000, workMs / 5);

/**
 * Bytes. The payloads of a longer request are not kept while it waits for a slot: parsed, they take
 * many times that.
 */
const longRequest = 16 * 1024;

export const isLong = ({ body }: Pick<Delivery, "body">): boolean => body.length > longRequest;

/** What of a request is kept until it is performed. */
function withoutLongPayloads(request: StepRequest, delivery: Delivery): StepRequest {
  if (!isLong(delivery)) return request;
  const { undo: _, ...envelope } = request;
  return { ...envelope, input: null };
}

/**
 * Decodes a request. Rejects an unreadable one to the dead letters at once: a retry would not help.
 */
export function readRequest(
  delivery: Delivery,
  agent: string,
  log: Pick<Logger, "error">,
): StepRequest | null {
  try {
    const request = StepRequest.decode(delivery.body);
    if (request.agent === agent) return withoutLongPayloads(request, delivery);
    throw new ContractFault(
      "message.misrouted",
      `A request for the Agent ${request.agent} arrived in the queue of ${agent}`,
    );
  } catch (err) {
    log.error({ err, agent, messageId: delivery.messageId }, "request unreadable");
    delivery.reject();
    return null;
  }
}
