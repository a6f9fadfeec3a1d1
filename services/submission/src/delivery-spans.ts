import type { Delivery } from "@holdfast/messaging";
import { processSpan, type Span, type Tracing } from "@holdfast/runtime";

/** A span for each message. */
export type Spans = ReadonlyMap<Delivery, Span>;

/**
 * Begins a span for each message of a queue. One without a trace begins one. A batch that fails is
 * delivered again: then its spans are made anew.
 */
export const spansOf = (tracing: Tracing, batch: readonly Delivery[], queue: string): Spans =>
  new Map(
    (tracing.isOn ? batch : []).map((delivery) => {
      const received = { ...delivery, queue, trace: delivery.trace ?? null };
      return [delivery, processSpan(tracing, received)];
    }),
  );

/** Ends the spans of messages, and says of those that were refused why. */
export function endSpans(
  spans: Spans,
  refused: readonly { readonly from: Delivery; readonly problem: { readonly code: string } }[],
): void {
  for (const { from, problem } of refused) spans.get(from)?.set({ "error.type": problem.code });
  for (const span of spans.values()) span.end();
}
