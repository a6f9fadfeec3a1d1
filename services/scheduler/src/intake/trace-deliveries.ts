import type { Delivery } from "@holdfast/messaging";
import { processSpan, type Span, type SpanAttributes, type Tracing } from "@holdfast/runtime";

interface Traced {
  readonly delivery: Delivery;
  readonly attributes: SpanAttributes;
}

interface Options {
  readonly tracing: Tracing;
  readonly queue: string;
  /** What became of a delivery, if that is worth a word. */
  readonly outcomeOf: (delivery: Delivery) => SpanAttributes;
}

/**
 * Does `work` on a batch, and gives each delivery that has a trace a span of its own in it: a batch belongs to many
 * traces, and the trace of a task should be whole.
 */
export async function traceDeliveries<T>(
  traced: readonly Traced[],
  work: () => Promise<T>,
  { tracing, queue, outcomeOf }: Options,
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
    end(outcomeOf);
    return result;
  } catch (error) {
    end(() => ({ "error.type": (error as Error).name }));
    throw error;
  }
}
