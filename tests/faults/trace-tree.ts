import { expect } from "@jest/globals";
import type { CollectedSpan, Collector } from "./collector.ts";
import { until } from "./faulty-system.ts";
import type { newCaller } from "./traced-system.ts";

type Caller = ReturnType<typeof newCaller>;

/** What a collector has of the traces of callers. */
export function tracesIn(collector: Pick<Collector, "spans">) {
  const spansOf = ({ traceId }: Caller) =>
    collector.spans.filter((span) => span.traceId === traceId);
  /** The spans whose parents are missing. */
  const orphansOf = (caller: Caller): readonly CollectedSpan[] => {
    const spans = spansOf(caller);
    const known = new Set([caller.spanId, ...spans.map(({ spanId }) => spanId)]);
    return spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
  };
  return {
    spansOf,
    orphansOf,
    /** Resolves once the collector has these spans of a trace, and the parent of each. */
    async collected(caller: Caller, names: readonly string[]): Promise<void> {
      const isThere = (name: string) => spansOf(caller).some((span) => span.name === name);
      const isWhole = () => orphansOf(caller).length === 0 || caller.mayLose;
      await until(() => names.every(isThere) && isWhole(), 100);
    },
  };
}

/** The one span of this name, and of this attempt if one is given. */
export const only = (
  spans: readonly CollectedSpan[],
  name: string,
  attempt?: number,
): CollectedSpan => {
  const found = spans.filter(
    (span) =>
      span.name === name &&
      (attempt === undefined || span.attributes["holdfast.attempt"] === String(attempt)),
  );
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

/** The spans right below one. */
export const childrenOf = (spans: readonly CollectedSpan[], parent: CollectedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

/** Follows one attempt from its claim to the reply, and returns the calls of the remote service. */
export function followAttempt(
  spans: readonly CollectedSpan[],
  { step, attempt, agent }: { step: string; attempt: number; agent: string },
): readonly CollectedSpan[] {
  const claim = only(spans, `claim ${step}`, attempt);
  const [send] = childrenOf(spans, claim).filter(({ name }) => name === "send holdfast.requests");
  const [work] = childrenOf(spans, send!);
  expect(work).toMatchObject({ name: `process agent.${agent}`, service: "holdfast-agent" });
  const below = childrenOf(spans, work!);
  const [reply] = below.filter(({ name }) => name === "send holdfast.replies");
  const [recorded] = childrenOf(spans, reply!);
  expect(recorded).toMatchObject({
    name: "process scheduler.replies",
    service: "holdfast-scheduler",
    attributes: { "holdfast.step": step, "holdfast.attempt": String(attempt) },
  });
  const calls = below.filter(({ name }) => name !== "send holdfast.replies");
  return calls.flatMap((call) => childrenOf(spans, call));
}
