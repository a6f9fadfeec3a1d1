import { excludedFrom } from "./approval.ts";
import type { FaultCode } from "./fault-codes.ts";
import { type Band, bandOf, type Priority } from "./priority.ts";
import {
  type AwaitingStep,
  type Instant,
  isBegun,
  isDone,
  isSettled,
  type Step,
  type StepRecord,
  type StepState,
  type WaitingStep,
} from "./step.ts";
import { type Goal, stepsOf, type Task } from "./task.ts";
import type { Lookup } from "./template.ts";
import { readWaitEnd, type WaitEnd, waitEndFrom } from "./wait-time.ts";
import type { Milliseconds, StepPolicy } from "./workflow-definition.ts";
import {
  type AgentPlan,
  type ApprovalPlan,
  type SignalPlan,
  type StepKind,
  type StepPlan,
  type TimePlan,
  undoNameOf,
  type WaitPlan,
} from "./workflow-plan.ts";

/** What a step that asks no Agent waits for. */
export interface WaitRules<Plan extends WaitPlan = WaitPlan> {
  /** What values say of when it ends, read once the steps before it are done; null: nothing. */
  read(plan: Plan, valueOf: Lookup, now: Instant): WaitEnd | null;
  /** When it ends by itself if it begins then; null: it does not. */
  endsAt(step: WaitingStep & { readonly plan: Plan }, begin: Instant): Instant | null;
  /** The code with which the step has failed if it ends by itself; null: it is done. */
  faultAtEnd(plan: Plan): FaultCode | null;
  /** The name of the signals that end it; null: none does. */
  signal(plan: Plan): string | null;
  /** The audience that decides it; null: it is for no one to decide. */
  audience(plan: Plan): string | null;
  /** The time after which its audience is reminded, again and again; null: never. */
  remindAfter(plan: Plan): Milliseconds | null;
  /**
   * Whether its time does not pass while its task is paused or halted, though its end is no
   * failure.
   */
  standsStill(plan: Plan): boolean;
  /** Why no operator may end it; null: an operator may. */
  needs(plan: Plan): "needs_signal" | "needs_decision" | null;
}

/** What holds of a wait that nothing ends but its time, or an operator. */
const unasked = {
  signal: () => null,
  audience: () => null,
  remindAfter: () => null,
  standsStill: () => false,
  needs: () => null,
} as const;

const timeRules: WaitRules<TimePlan> = {
  ...unasked,
  read: ({ time }, valueOf, now) => readWaitEnd(time, valueOf, now),
  endsAt: ({ plan, notBefore = null }, begin) => waitEndFrom(plan.time, begin, notBefore),
  faultAtEnd: () => null,
};

const signalRules: WaitRules<SignalPlan> = {
  ...unasked,
  read: () => null,
  endsAt: ({ plan: { within } }, begin) => (within === null ? null : begin + within),
  faultAtEnd: ({ onDeadline }) => (onDeadline === "fail" ? "wait.expired" : null),
  signal: ({ signal }) => signal,
  // What follows is what the signal says, so no step goes on without one.
  needs: ({ onDeadline }) => (onDeadline === "fail" ? "needs_signal" : null),
};

const faultsAtDeadline = {
  approve: null,
  reject: "approval.rejected",
  fail: "wait.expired",
} as const;

const approvalRules: WaitRules<ApprovalPlan> = {
  ...unasked,
  read: ({ excludes }, valueOf, now) =>
    excludedFrom(excludes, valueOf) === null
      ? { notBefore: now, faultCode: "approval.exclusion_unknown" }
      : null,
  endsAt: ({ plan: { within }, notBefore = null }, begin) =>
    notBefore ?? (within === null ? null : begin + within),
  faultAtEnd: ({ onDeadline }) => faultsAtDeadline[onDeadline],
  audience: ({ audience }) => audience,
  remindAfter: ({ remindAfter }) => remindAfter,
  // Otherwise a pause would take away the time in which they may reject.
  standsStill: () => true,
  needs: () => "needs_decision",
};

/** Every question that the engine asks about a kind of step. */
export interface StepKindRules {
  /** What its steps do, for people. */
  readonly meaning: string;
  /**
   * The goal that its steps serve. An attempt that runs under the other goal is only waited for.
   */
  readonly goal: Goal;
  /** When its steps are written down. */
  readonly addedAt: "submission" | "undo";
  /** What makes a waiting step of a task under that goal due. */
  readonly mayStart: (task: Task, step: WaitingStep) => boolean;
  /** Its band in the due order, by the priority of the task. */
  readonly band: (priority: Priority) => Band;
  /** What the final failure of a step means for its task. */
  readonly onFinalFailure: (policy: Pick<StepPolicy, "onFailure">) => "undo" | "halt";
  /**
   * Whether an operator is alerted as soon as a step fails once, and not only when it fails for
   * good.
   */
  readonly alertsOnFirstFailure: boolean;
  /** Whether its input comes from the workflow's author, so that an operator may correct it. */
  readonly hasCorrectableInput: boolean;
  /** Whether an operator may resolve a step that has failed: say that it was done by hand. */
  readonly isResolvable: boolean;
  /** Whether later steps may use its output, so that it has to keep its contract. */
  readonly hasUsableOutput: boolean;
  /** Whether a Scheduler claims its steps for an Agent. */
  readonly isClaimed: boolean;
  /** What its steps wait for once they begin; null: they ask an Agent, and wait for no other. */
  readonly waits: WaitRules | null;
  /**
   * Whether the undo of its task waits until a step in that state has settled by itself, because it
   * may have an effect or return what the undo needs. Other steps that have not settled are
   * cancelled at once.
   */
  readonly drains: (state: StepState) => boolean;
  /**
   * Whether only the Agent that the step names may take it, where the Agents of its pool share no
   * keys.
   */
  readonly isPinned: (step: Pick<StepRecord, "mayHaveEffect">) => boolean;
  /** The name of the step that undoes one of this kind; null: it cannot be undone. */
  readonly undoneBy: (name: string) => string | null;
}

/** What all kinds of steps that wait have in common. */
const waiting: Omit<StepKindRules, "meaning" | "waits"> = {
  goal: "do",
  addedAt: "submission",
  mayStart: mayStartCall,
  band: bandOf,
  onFinalFailure: ({ onFailure }) => onFailure,
  alertsOnFirstFailure: false,
  hasCorrectableInput: false,
  isResolvable: true,
  hasUsableOutput: true,
  isClaimed: false,
  // It has no effect, so there is nothing to wait for, and nothing to undo.
  drains: () => false,
  isPinned: () => false,
  undoneBy: () => null,
};

/**
 * The kinds of steps and all that differs between them. A new kind is a member of `StepKind`, and
 * does not compile until this table answers each question.
 */
export const stepKinds: Readonly<Record<StepKind, StepKindRules>> = {
  call: {
    meaning: "asks an Agent",
    goal: "do",
    addedAt: "submission",
    mayStart: mayStartCall,
    band: bandOf,
    onFinalFailure: ({ onFailure }) => onFailure,
    alertsOnFirstFailure: false,
    hasCorrectableInput: true,
    isResolvable: true,
    hasUsableOutput: true,
    isClaimed: true,
    waits: null,
    drains: (state) => state === "processing",
    isPinned: ({ mayHaveEffect }) => mayHaveEffect,
    undoneBy: undoNameOf,
  },
  undo: {
    meaning: "undoes a call",
    goal: "undo",
    addedAt: "undo",
    mayStart: mayStartUndo,
    // An undo goes first: the effects of an abandoned task should not last.
    band: () => bandOf("undo"),
    // There is no way back from the way back.
    onFinalFailure: () => "halt",
    alertsOnFirstFailure: true,
    hasCorrectableInput: false,
    isResolvable: true,
    hasUsableOutput: false,
    isClaimed: true,
    waits: null,
    drains: () => true,
    // It names the Agent of its call.
    isPinned: () => true,
    undoneBy: () => null,
  },
  wait: { ...waiting, meaning: "waits for a time", waits: timeRules },
  signal: { ...waiting, meaning: "waits for a signal", waits: signalRules },
  approval: {
    ...waiting,
    meaning: "waits for people to decide",
    // No one decides in the place of its audience.
    isResolvable: false,
    waits: approvalRules,
  },
};

/** The rules of what a step waits for; null: it asks an Agent. */
export const waitRulesOf = ({ kind }: Pick<StepPlan, "kind">): WaitRules | null =>
  stepKinds[kind].waits;

/** The name of the signals that a step waits for; null: it waits for none. */
export const signalOf = (plan: StepPlan): string | null =>
  asksAgent(plan) ? null : (waitRulesOf(plan)?.signal(plan) ?? null);

/** The audience that decides a step; null: it is for no one to decide. */
export const audienceOf = (plan: StepPlan): string | null =>
  asksAgent(plan) ? null : (waitRulesOf(plan)?.audience(plan) ?? null);

/** The time after which the audience of a step is reminded; null: never. */
export const remindAfterOf = (plan: StepPlan): Milliseconds | null =>
  asksAgent(plan) ? null : (waitRulesOf(plan)?.remindAfter(plan) ?? null);

/** The code with which a step that awaits has failed once its time is over; null: it is done. */
export const faultAtEnd = ({ plan, faultCode }: AwaitingStep): string | null =>
  faultCode ?? waitRulesOf(plan)?.faultAtEnd(plan) ?? null;

/** Whether a step asks an Agent. */
export const asksAgent = (plan: StepPlan): plan is AgentPlan => stepKinds[plan.kind].isClaimed;

/** Whether a step begins to wait, and asks no Agent. */
export const isWait = <S extends Step>(step: S): step is S & { readonly plan: WaitPlan } =>
  !asksAgent(step.plan);

/**
 * A call starts after the steps before it. A task that halted starts none until an operator has
 * looked at it.
 */
function mayStartCall(task: Task, step: WaitingStep): boolean {
  if (stepsOf(task).some((other) => other.processState === "error")) return false;
  return step.admitted && isReached(task, step);
}

/** Whether all steps before it are done. */
export function isReached(task: Task, step: Step): boolean {
  return step.plan.after.every((name) => {
    const before = task.steps.get(name);
    return before !== undefined && isDone(before);
  });
}

/**
 * A call is undone once it has settled and all that was dispatched after it has settled and is
 * undone: in reverse order, parallel branches in parallel, and never beside its own do.
 */
function mayStartUndo(task: Task, step: WaitingStep): boolean {
  const { undoes } = step.plan;
  const call = undoes === null ? undefined : task.steps.get(undoes);
  if (call === undefined || undoes === null || !isSettled(call)) return false;
  return (task.workflow.downstream.get(undoes) ?? []).every((name) => isUndone(task, name));
}

/** Whether a step has never begun, or has settled and is undone. */
function isUndone(task: Task, name: string): boolean {
  const call = task.steps.get(name);
  if (call === undefined || !isBegun(call)) return true;
  const undo = task.steps.get(undoNameOf(name));
  return isSettled(call) && (undo === undefined || isDone(undo));
}
