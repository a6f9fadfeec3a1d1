import { refsOfCondition } from "./condition.ts";
import { parseInstant } from "./instant.ts";
import type { Instant } from "./step.ts";
import { type Lookup, refsOf, resolveTemplate } from "./template.ts";
import type { WaitTime } from "./workflow-definition.ts";
import type { Decisive } from "./workflow-plan.ts";

/** The pointers of what decides whether a step is done, until when it waits, and for whom. */
export const refsOfDecisive = ({ onlyIf, time, excludes = [] }: Decisive): readonly string[] => [
  ...(onlyIf === null ? [] : refsOfCondition(onlyIf)),
  ...(time !== undefined && "until" in time ? refsOf(time.until) : []),
  ...excludes.flatMap(refsOf),
];

/**
 * When a wait ends, as it stands in the step; with a fault code: its value says no instant, so it
 * ends at once.
 */
export interface WaitEnd {
  readonly notBefore: Instant;
  readonly faultCode: string | null;
}

/**
 * Reads until when a step waits, once the steps before it are done: an instant with its zone, as
 * RFC 3339 writes it. One that has passed ends the wait at once. Null: no value says it, so it
 * follows from when the wait begins.
 */
export function readWaitEnd(time: WaitTime, valueOf: Lookup, now: Instant): WaitEnd | null {
  if ("for" in time) return null;
  const value = resolveTemplate(time.until, valueOf);
  const until = typeof value === "string" ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(until)) return { notBefore: now, faultCode: "wait.time_invalid" };
  const { atMost = Number.POSITIVE_INFINITY } = time;
  return { notBefore: Math.min(until, now + atMost), faultCode: null };
}

/** When a wait ends that begins then. `known` is what a value said of it. */
export const waitEndFrom = (time: WaitTime, begin: Instant, known: Instant | null): Instant =>
  "for" in time ? begin + time.for : Math.max(known ?? begin, begin);
