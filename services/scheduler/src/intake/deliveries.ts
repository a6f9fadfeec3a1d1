import { errorText } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import {
  type Clock,
  processSpan,
  type Span,
  type SpanAttributes,
  type Tracing,
  turnsOf,
} from "@holdfast/runtime";

export interface Unreadable {
  readonly delivery: Delivery;
  readonly error: unknown;
}

/**
 * Reads deliveries, and keeps those that cannot be read from spoiling the others. A batch may hold
 * a hundred of the largest messages: others have their turn of the event loop in between.
 */
export async function readEach<Message>(
  batch: readonly Delivery[],
  read: (delivery: Delivery) => Message,
  { clock }: { readonly clock: Pick<Clock, "now"> },
): Promise<{ readonly readable: readonly Message[]; readonly unreadable: readonly Unreadable[] }> {
  const turns = turnsOf(clock);
  const readable: Message[] = [];
  const unreadable: Unreadable[] = [];
  for (const delivery of batch) {
    if (turns.isOver()) await turns.next();
    try {
      readable.push(read(delivery));
    } catch (error) {
      unreadable.push({ delivery, error });
    }
  }
  return { readable, unreadable };
}

/**
 * Fields of one line in the log, however many messages are unreadable: how many, and what is wrong
 * with the first.
 */
export function unreadableFields(unreadable: readonly Unreadable[]) {
  const [first] = unreadable;
  const { error, delivery } = first ?? {};
  return {
    messages: unreadable.length,
    messageId: delivery?.messageId,
    reason: errorText(error),
  };
}

interface Traced {
  readonly delivery: Delivery;
  readonly attributes: SpanAttributes;
}

interface TraceOptions {
  readonly tracing: Tracing;
  readonly queue: string;
  /** What became of a delivery, where that is not as usual. */
  readonly dispositionOf: (delivery: Delivery) => SpanAttributes;
}

/**
 * Does `work` on a batch, and adds a span for it to the trace of each delivery that has one: a
 * batch belongs to many traces, and each of them should be whole.
 */
export async function traceDeliveries<T>(
  traced: readonly Traced[],
  work: () => Promise<T>,
  { tracing, queue, dispositionOf }: TraceOptions,
): Promise<T> {
  const spans = traced.flatMap(({ delivery, attributes }): (readonly [Delivery, Span])[] => {
    const { trace = null } = delivery;
    const batch = { "holdfast.batch.size": traced.length, ...attributes };
    if (trace === null || !tracing.records(trace)) return [];
    const received = { ...delivery, queue, trace };
    return [[delivery, processSpan(tracing, received, { attributes: batch })]];
  });
  const end = (attributesOf: (delivery: Delivery) => SpanAttributes): void => {
    for (const [delivery, span] of spans) span.end(attributesOf(delivery));
  };
  try {
    const result = await work();
    end(dispositionOf);
    return result;
  } catch (error) {
    end(() => ({ "error.type": (error as Error).name }));
    throw error;
  }
}
