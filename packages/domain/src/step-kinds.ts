import { type Band, bandOf, type Priority } from "./priority.ts";
import { isDone, isSettled, type Step, type StepRecord, type WaitingStep } from "./step.ts";
import { type Goal, stepsOf, type Task } from "./task.ts";
import type { StepPolicy } from "./workflow-definition.ts";
import { type StepKind, undoNameOf } from "./workflow-plan.ts";

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
  /** Whether later steps may use its output, so that it has to keep its contract. */
  readonly hasUsableOutput: boolean;
  /**
   * Whether only the Agent that the step names may take it, where the Agents of its pool share no
   * keys.
   */
  readonly isPinned: (step: Pick<StepRecord, "mayHaveEffect">) => boolean;
  /** The name of the step that undoes one of this kind; null: it cannot be undone. */
  readonly undoneBy: (name: string) => string | null;
}

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
    hasUsableOutput: true,
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
    hasUsableOutput: false,
    // It names the Agent of its call.
    isPinned: () => true,
    undoneBy: () => null,
  },
};

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

/** Whether a call was never dispatched, or has settled and is undone. */
function isUndone(task: Task, name: string): boolean {
  const call = task.steps.get(name);
  if (call === undefined || call.attempt === 0) return true;
  const undo = task.steps.get(undoNameOf(name));
  return isSettled(call) && (undo === undefined || isDone(undo));
}
