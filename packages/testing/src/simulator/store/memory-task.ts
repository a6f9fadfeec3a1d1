import {
  type AttemptTimes,
  type AwaitingStep,
  type Change,
  type Fairness,
  type Instant,
  type Json,
  type PendingStep,
  type Priority,
  remindAfterOf,
  type Step,
  signalOf,
  type Task,
} from "@holdfast/domain";
import type { StepProgress, StoredSignal } from "@holdfast/state-store";
import { type DecisionRow, decisionOn } from "./stored-decisions.ts";
import { type BusinessKey, untakenOf } from "./stored-signals.ts";

/** A task with all that the tables of the state store hold of it. */
export interface StoredTask {
  task: Task;
  version: number;
  readonly priority: Priority;
  readonly fairness: Fairness | null;
  readonly input: Json;
  completeBy: Instant | null;
  /** The instant since which it is paused; null: it is not. */
  pausedAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
  /** Pending steps that may be claimed, with their places in the queue. */
  readonly ranks: Map<string, number>;
  /** The instants from which on any Scheduler may resend the unconfirmed steps in processing. */
  readonly resendAts: Map<string, Instant>;
  /** The signs of steps in processing whose Agents have said something of the attempt. */
  readonly signs: Map<string, AttemptTimes & { readonly progress: StepProgress | null }>;
  /** When a Scheduler looks at the steps that wait; infinity: when something else happens. */
  readonly waits: Map<string, Instant>;
  /** When that came for which the steps wait: the first signal that they may take, a decision. */
  readonly cameAts: Map<string, Instant>;
  readonly outputs: Map<string, Json>;
  readonly correctedInputs: Map<string, Json>;
  readonly businessKey: BusinessKey | null;
  /** The id of who submitted it; null: unknown. */
  readonly submittedBy: string | null;
  /** What was sent to it, the oldest first. */
  readonly signals: StoredSignal[];
  /** What people have said about its steps, the oldest first. */
  readonly decisions: DecisionRow[];
}

/** One line of the history. */
export interface Move {
  readonly taskId: string;
  /** The step that moved; null: it is about the task as a whole. */
  readonly step: string | null;
  readonly action: string;
  readonly from: string | null;
  readonly to: string;
  readonly attempt: number | null;
  readonly actor: string;
  readonly reason: string | null;
}

/**
 * Puts the task as decided in the place of what was stored. Returns the steps that it makes due.
 */
export function keep(stored: StoredTask, after: Task, now: Instant): readonly PendingStep[] {
  const before = stored.task;
  const due: PendingStep[] = [];
  const goesOn = isHeldUp(before) && !isHeldUp(after);
  for (const [name, step] of after.steps) {
    const old = before.steps.get(name);
    if (old !== step || goesOn) keepWait(stored, { old, step, now });
    if (old === step) continue;
    stored.ranks.delete(name);
    stored.resendAts.delete(name);
    stored.signs.delete(name);
    if (step.processState === "pending" && step.notBefore <= now) due.push(step);
  }
  stored.task = after;
  stored.version += 1;
  stored.updatedAt = now;
  if (after.paused) {
    stored.pausedAt ??= now;
    return due;
  }
  // The limit of a paused task stands still.
  const { completeBy, pausedAt } = stored;
  if (completeBy !== null && pausedAt !== null) stored.completeBy = completeBy + now - pausedAt;
  stored.pausedAt = null;
  return due;
}

/** Whether none of its waits may fail for now. */
const isHeldUp = ({ paused, processState }: Task): boolean => paused || processState === "halted";

interface MovedStep {
  /** The step before; undefined: it is new. */
  readonly old: Step | undefined;
  readonly step: Step;
  readonly now: Instant;
}

/**
 * Begins, moves on and ends what steps wait for: one whose signal is there, or that is decided, is
 * due at once.
 */
function keepWait(stored: StoredTask, { old, step, now }: MovedStep): void {
  const { waits, cameAts } = stored;
  const { name } = step.plan;
  if (step.processState !== "awaiting") {
    waits.delete(name);
    cameAts.delete(name);
    return;
  }
  const signal = signalOf(step.plan);
  const hasBegun = old?.processState === "awaiting";
  if (!hasBegun && signal !== null && untakenOf(stored, signal).length > 0) {
    cameAts.set(name, now);
    waits.set(name, now);
  } else if (!cameAts.has(name)) {
    waits.set(name, nextDueAt(step, now));
  } else if (decisionOn(stored, step) !== null) {
    waits.set(name, now);
  }
}

/** When a wait is looked at next for which nothing has come: at its end, or for a reminder. */
export const nextDueAt = ({ plan, notBefore }: AwaitingStep, now: Instant): Instant =>
  Math.min(
    notBefore ?? Number.POSITIVE_INFINITY,
    now + (remindAfterOf(plan) ?? Number.POSITIVE_INFINITY),
  );

/** Has a wait end for which something has come. */
export function makeDue({ waits, cameAts }: StoredTask, step: string, now: Instant): void {
  const dueAt = Math.min(waits.get(step) ?? now, now);
  // Of those that are due at the same instant, the one that became so first is the first.
  waits.delete(step);
  waits.set(step, dueAt);
  cameAts.set(step, now);
}

/** One step replaced, and nothing decided. */
export function replaceStep(stored: StoredTask, step: Step): void {
  const steps = new Map(stored.task.steps).set(step.plan.name, step);
  stored.task = { ...stored.task, steps };
}

interface Telling {
  readonly before: Task;
  readonly after: Task;
  readonly changes: readonly Change[];
  readonly acts: readonly { readonly action: string; readonly reason: string | null }[];
  readonly actor: string;
}

/** What the history says of a decision. */
export function movesOf({ before, after, changes, acts, actor }: Telling): readonly Move[] {
  const { taskId, processState: to } = after;
  const ofTask = { taskId, step: null, attempt: null, actor };
  const from = before.processState;
  return [
    ...acts.map((act) => ({ ...ofTask, ...act, from, to: from })),
    ...changes.map(({ step, action, from: was, reason }) => ({
      taskId,
      step: step.plan.name,
      action,
      from: was,
      to: step.processState,
      attempt: step.attempt,
      actor,
      reason,
    })),
    ...(from === to ? [] : [{ ...ofTask, action: "summarise", from, to, reason: after.faultCode }]),
  ];
}
