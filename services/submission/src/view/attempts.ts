import { type Source, type StepKind, type StepState, sourceOfMove } from "@holdfast/domain";
import type { StepLimits, StepMove, StepRecord } from "@holdfast/state-store";
import { publicName } from "../public-names.ts";

export const attemptOutcomes = [
  "running",
  "processed",
  "failed",
  "expired",
  "requeued",
  "cancelled",
] as const;
type AttemptOutcome = (typeof attemptOutcomes)[number];

/** One attempt of a step. Instants are ISO 8601; null: it is not known, or has not been. */
export interface Attempt {
  readonly step: string;
  readonly kind: StepKind;
  /** The step that an undo undoes. */
  readonly undoes: string | null;
  readonly attempt: number;
  readonly agent: string;
  readonly lockedBy: string;
  readonly claimedAt: string;
  readonly startedAt: string | null;
  readonly heartbeatAt: string | null;
  readonly completeBy: string | null;
  readonly endedAt: string | null;
  readonly outcome: AttemptOutcome;
  readonly faultCode: string | null;
  /** Who said that it failed; null: it did not, or no failure is counted. */
  readonly source: Source | null;
  readonly faultDetail: string | null;
  readonly progress: StepRecord["progress"];
}

/** A time for which a step waited: to be claimed, or until its wait ended. */
export interface Wait {
  readonly step: string;
  readonly from: string;
  /**
   * When it was claimed or its wait ended, or when it becomes due or the wait is to end; null: it
   * waits for its turn.
   */
  readonly until: string | null;
  /** The move that made it wait, such as `retry`, `coolDown` or `open`. */
  readonly reason: string;
}

interface Sources {
  /** The latest moves, newest first. */
  readonly moves: readonly StepMove[];
  readonly steps: readonly StepRecord[];
  readonly limits: readonly StepLimits[];
}

/** The attempts that these moves tell of, and the waits between them, newest first. */
export function attemptsOf({ moves, steps, limits }: Sources): {
  readonly attempts: readonly Attempt[];
  readonly waits: readonly Wait[];
} {
  const attempts: Attempt[] = [];
  const waits: Wait[] = [];
  const knownSteps = new Map(steps.map((step) => [step.name, step]));
  const knownLimits = new Map(limits.map((one) => [one.name, one]));
  /** The move of each step that came after the one that is looked at. */
  const later = new Map<string, StepMove>();
  for (const move of moves) {
    const step = knownSteps.get(move.step);
    const next = later.get(move.step) ?? null;
    later.set(move.step, move);
    if (step === undefined) continue;
    if (move.action === "claim") {
      attempts.push(attemptFrom(move, { step, next, limits: knownLimits.get(move.step) ?? null }));
    } else if (waited.has(move.toState)) waits.push(waitFrom(move, { step, next }));
  }
  return { attempts, waits };
}

/** The states in which a step waits: for its turn, or for a time. */
const waited: ReadonlySet<string> = new Set<StepState>(["pending", "awaiting"]);

interface Around {
  readonly step: StepRecord;
  /** What the step did next; null: nothing yet. */
  readonly next: StepMove | null;
}

function attemptFrom(
  claim: StepMove,
  { step, next, limits }: Around & { readonly limits: StepLimits | null },
): Attempt {
  const isLatest = step.attempt === claim.attempt;
  const isRunning = next === null && step.processState === "processing" && isLatest;
  const outcome = isRunning ? "running" : outcomeOf(next);
  return {
    step: step.name,
    kind: step.kind,
    undoes: step.kind === "undo" ? step.name.replace(/:undo$/, "") : null,
    attempt: claim.attempt ?? 0,
    agent: step.agent,
    lockedBy: publicName(claim.actor),
    claimedAt: claim.at.toISOString(),
    startedAt: isRunning ? step.startedAt : null,
    heartbeatAt: isRunning ? step.heartbeatAt : null,
    completeBy: isRunning ? step.completeBy : deadlineOf(claim, limits),
    endedAt: next?.at.toISOString() ?? null,
    outcome,
    faultCode: outcome === "running" || outcome === "processed" ? null : (next?.reason ?? null),
    source: next === null || outcome === "running" ? null : sourceOfMove(next),
    faultDetail: isLatest && !isRunning ? step.faultDetail : null,
    progress: isRunning ? step.progress : null,
  };
}

/** The deadline that it ran against, where no heartbeat has moved it. */
function deadlineOf(claim: StepMove, limits: StepLimits | null): string | null {
  if (limits === null) return null;
  const at = claim.at.getTime() + limits.startWithin + limits.completeWithin;
  return Number.isNaN(new Date(at).getTime()) ? null : new Date(at).toISOString();
}

function outcomeOf(end: StepMove | null): AttemptOutcome {
  switch (end?.action) {
    case undefined:
      return "running";
    case "complete":
      return "processed";
    case "cancel":
      return "cancelled";
    case "requeue":
      return "requeued";
    default:
      return end?.reason === "step.expired" ? "expired" : "failed";
  }
}

function waitFrom(move: StepMove, { step, next }: Around): Wait {
  const isNow = next === null && step.processState === move.toState;
  return {
    step: step.name,
    from: move.at.toISOString(),
    until: isNow ? step.notBefore : (next?.at.toISOString() ?? null),
    reason: move.action,
  };
}
