import { type AgentPlan, needsValues, type StepPlan, type WaitPlan } from "./workflow-plan.ts";

/** Milliseconds since 1970 on the state store's clock, the only one that decides anything. */
export type Instant = number;

/**
 * The states of a step; also what the state store holds. `waiting` is the pattern's "not yet
 * started".
 */
export const stepStates = [
  "waiting",
  "pending",
  "processing",
  "awaiting",
  "processed",
  "error",
  "skipped",
  "cancelled",
] as const;
export type StepState = (typeof stepStates)[number];

export interface StepRecord<Plan extends StepPlan = StepPlan> {
  readonly plan: Plan;
  /**
   * The Agent of a pool that had the last attempt, or the one that must take the first. Null: none,
   * or there is no pool.
   */
  readonly agent: string | null;
  /** How often the step was claimed. Numbers the requests, and only ever grows. */
  readonly attempt: number;
  /** How often an Agent failed it, or did not finish in time. Never above the threshold. */
  readonly failureCount: number;
  /** How often in a row it came back without an Agent having failed it. */
  readonly requeueCount: number;
  /** How often it rested for an extended period. */
  readonly coolDowns: number;
  /** Rises when the idempotency key must change; see `idempotencyKey`. */
  readonly keyGeneration: number;
  /**
   * What values decide of it is known: its condition is true, and the time is read until which it
   * waits.
   */
  readonly admitted: boolean;
  /** An attempt that is over may have changed something at the remote service. */
  readonly mayHaveEffect: boolean;
  /** What went wrong last. */
  readonly faultCode: string | null;
}

export interface WaitingStep extends StepRecord {
  readonly processState: "waiting";
  /**
   * What a value said of when it ends, as it was read when the steps before it were done; absent:
   * none did.
   */
  readonly notBefore?: Instant | null;
}

export interface PendingStep extends StepRecord<AgentPlan> {
  readonly processState: "pending";
  /** Schedulers leave the step alone until then. */
  readonly notBefore: Instant;
}

export interface ProcessingStep extends StepRecord<AgentPlan> {
  readonly processState: "processing";
  /** The instance of the Scheduler that claimed it. */
  readonly lockedBy: string;
  /** New with each attempt, and random: a reply without it is not an answer to this request. */
  readonly token: string;
  /** The instant by which an Agent must have taken the request. */
  readonly startBy: Instant;
  /** The instant by which the Agent must have finished. */
  readonly completeBy: Instant;
  /** Whether the broker is known to have taken the request. */
  readonly confirmed: boolean;
  /**
   * Whether it was published again: a second copy of the request may be in a queue or with an
   * Agent.
   */
  readonly resent: boolean;
}

/**
 * A step that has begun, asks no Agent, and ends by what is to come: a time, a message, a person.
 */
export interface AwaitingStep extends StepRecord<WaitPlan> {
  readonly processState: "awaiting";
  /**
   * When it ends by itself; null: it does not. Fixed when it begins; only a pause of its task moves
   * it on, where it stands still in one.
   */
  readonly notBefore: Instant | null;
}

interface ProcessedStep extends StepRecord {
  readonly processState: "processed";
}

export interface FailedStep extends StepRecord {
  readonly processState: "error";
  readonly faultCode: string;
}

interface SkippedStep extends StepRecord {
  readonly processState: "skipped";
}

interface CancelledStep extends StepRecord {
  readonly processState: "cancelled";
}

/**
 * One step of a task: `lockedBy`, `token` and the limits exist exactly while it is being processed.
 */
export type Step =
  | WaitingStep
  | PendingStep
  | ProcessingStep
  | AwaitingStep
  | ProcessedStep
  | FailedStep
  | SkippedStep
  | CancelledStep;

/** A step that nothing has happened to yet. */
export const newStep = (plan: StepPlan, agent: string | null = null): WaitingStep => ({
  plan,
  agent,
  processState: "waiting",
  attempt: 0,
  failureCount: 0,
  requeueCount: 0,
  coolDowns: 0,
  keyGeneration: 0,
  admitted: !needsValues(plan),
  mayHaveEffect: false,
  faultCode: null,
});

/** States in which nothing more will happen to a call while its task is being undone. */
const settled: ReadonlySet<StepState> = new Set(["processed", "error", "skipped", "cancelled"]);
const done: ReadonlySet<StepState> = new Set(["processed", "skipped"]);

export const isSettled = (step: Step): boolean => settled.has(step.processState);
/** Skipped counts as done, for what comes after and for joins too. */
export const isDone = (step: Step): boolean => done.has(step.processState);

/** Whether something of it has begun: it was claimed, or it waits or has waited. */
export const isBegun = ({
  attempt,
  processState,
}: Pick<Step, "attempt" | "processState">): boolean =>
  attempt > 0 || processState === "awaiting" || processState === "processed";

/** What stays the same whatever state a step is in. */
export const constant = (step: Step): StepRecord => ({
  plan: step.plan,
  agent: step.agent,
  attempt: step.attempt,
  failureCount: step.failureCount,
  requeueCount: step.requeueCount,
  coolDowns: step.coolDowns,
  keyGeneration: step.keyGeneration,
  admitted: step.admitted,
  mayHaveEffect: step.mayHaveEffect,
  faultCode: step.faultCode,
});
