import type { Reason } from "./source.ts";
import type { ProcessingStep } from "./step.ts";
import type { StepAction } from "./step-transitions.ts";
import type { Effect } from "./task-event.ts";
import type { Milliseconds, StepPolicy } from "./workflow-definition.ts";

/** An attempt that ended without a result: why, and what is known of the remote service. */
export interface EndedAttempt {
  readonly code: string;
  readonly effect: Effect;
  /** How long its Agent asked to be left alone; null: it did not. */
  readonly retryAfter: Milliseconds | null;
}

/** An attempt that failed, as its source says. */
export interface Failure extends EndedAttempt, Reason {
  readonly transient: boolean;
}

/** What is to be done about it, as data. */
export interface Remedy {
  readonly action: Extract<StepAction, "retry" | "coolDown" | "requeue" | "fail">;
  readonly failureCount: number;
  readonly requeueCount: number;
  readonly coolDowns: number;
  readonly wait: Milliseconds;
}

/** The longest delay that an Agent may ask for, where the policy of the step has no longer one. */
const longestAskedDelay = 3_600_000;

/**
 * No step is delayed for longer, whatever its Agent asks for: an hour, or the longest delay of its
 * own policy.
 */
export const longestDelay = (plan: StepPolicy): Milliseconds =>
  Math.max(
    longestAskedDelay,
    ...[plan, ...(plan.faults ?? [])].flatMap(({ retry, coolDown }) => [
      retry?.max ?? 0,
      coolDown?.wait ?? 0,
    ]),
  );

/** Times in a row that a step is requeued before a person is alerted, and between two alerts. */
export const requeuesUntilAlert = 20;
const requeueBackoff = { backoff: 250, max: 10_000 };

/**
 * The policy of a step, with what it says of this fault in particular. The first that fits counts.
 */
export function policyFor(plan: StepPolicy, code: string): StepPolicy {
  const particular = plan.faults?.find((fault) => fits(fault.code, code));
  return particular === undefined ? plan : { ...plan, ...particular };
}

/** What a step that succeeds, or starts afresh, forgets of its failures. */
export const cleared = { failureCount: 0, requeueCount: 0, faultCode: null };

/** `payments.*` is every code of that area. */
const fits = (pattern: string, code: string): boolean =>
  pattern.endsWith(".*") ? code.startsWith(pattern.slice(0, -1)) : pattern === code;

/**
 * What only looks like a failure from here is tried again, as often as it takes. `random` is in [0,
 * 1).
 */
export function requeueOf(step: ProcessingStep, random: number): Remedy {
  const requeueCount = step.requeueCount + 1;
  const wait = backoff(requeueBackoff, requeueCount, random);
  return remedy(step, "requeue", { requeueCount, wait });
}

/**
 * Applies the policy that stands at the step: retry, then cool down, then give up. A permanent
 * fault skips the first two. `random` is in [0, 1).
 */
export function remedyFor(step: ProcessingStep, failure: Failure, random: number): Remedy {
  const { retry, coolDown } = policyFor(step.plan, failure.code);
  // A code with a lower threshold of its own never takes failures back that were counted before.
  const failureCount = Math.max(step.failureCount, Math.min(step.failureCount + 1, retry.failures));
  const counted = { failureCount, requeueCount: 0 };
  if (!failure.transient) return remedy(step, "fail", counted);
  if (failureCount < retry.failures) {
    return remedy(step, "retry", { ...counted, wait: backoff(retry, failureCount, random) });
  }
  if (coolDown !== null && (coolDown.times === null || step.coolDowns < coolDown.times)) {
    return remedy(step, "coolDown", {
      ...counted,
      coolDowns: step.coolDowns + 1,
      wait: coolDown.wait,
    });
  }
  return remedy(step, "fail", counted);
}

function remedy(
  { failureCount, requeueCount, coolDowns }: ProcessingStep,
  action: Remedy["action"],
  changes: Partial<Remedy>,
): Remedy {
  return { failureCount, requeueCount, coolDowns, wait: 0, ...changes, action };
}

/** Doubles with each failure up to the maximum; half of it is jitter, so that a crowd disperses. */
export function backoff(
  policy: { readonly backoff: Milliseconds; readonly max: Milliseconds },
  failures: number,
  random: number,
): Milliseconds {
  const longest = Math.min(policy.backoff * 2 ** (failures - 1), policy.max);
  return Math.round(longest * (0.5 + random / 2));
}
