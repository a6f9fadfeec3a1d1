import type { Instant, ProcessingStep } from "./step.ts";
import type { Milliseconds, StepPolicy } from "./workflow-definition.ts";

/** What the Agent of an attempt says of it. */
export interface AttemptSign {
  /** Milliseconds for which it has worked on it, by its own clock. */
  readonly runningFor: Milliseconds;
  /**
   * Whether the handler said that it is at work; otherwise the Agent says only that it has begun.
   */
  readonly beats: boolean;
}

/** What is known of an attempt whose Agent has said something. */
export interface AttemptTimes {
  readonly startedAt: Instant;
  /** When the handler was last known to be at work; null: it has not said so. */
  readonly heartbeatAt: Instant | null;
}

type Limits = Pick<ProcessingStep, "startBy" | "completeBy"> & {
  readonly plan: Pick<StepPolicy, "startWithin" | "completeWithin" | "extendUpTo">;
};

/**
 * What a sign of life adds to what is known of its attempt. The Agent's word about when it began is
 * believed between the claim and the start-by time: so the deadline never moves further than the
 * step allows.
 */
export function noteSign(
  { plan, startBy }: Limits,
  known: AttemptTimes | null,
  { runningFor, beats, now }: AttemptSign & { readonly now: Instant },
): AttemptTimes {
  const claimedAt = startBy - plan.startWithin;
  return {
    startedAt: Math.max(claimedAt, Math.min(startBy, now - runningFor)),
    heartbeatAt: beats ? now : (known?.heartbeatAt ?? null),
  };
}

/**
 * The instant until which an attempt has time: `completeWithin` from its start, or from its last
 * heartbeat, but no longer than `extendUpTo` from its start. It is never moved into the past, where
 * a scan might not look any more. The statement `save-attempt-signs` computes the same.
 */
export function completeByOf(
  { plan, completeBy }: Limits,
  { startedAt, heartbeatAt }: AttemptTimes,
  now: Instant,
): Instant {
  const { completeWithin, extendUpTo } = plan;
  const first = startedAt + completeWithin;
  const extended =
    heartbeatAt === null || extendUpTo === undefined
      ? first
      : Math.min(heartbeatAt + completeWithin, startedAt + extendUpTo);
  return Math.max(first, extended, Math.min(now, completeBy));
}
