import { type Band, bandOf, type Priority } from "./priority.ts";
import { mayStartCall, mayStartUndo } from "./start-rules.ts";
import type { StepRecord, WaitingStep } from "./step.ts";
import type { Goal, Task } from "./task.ts";
import type { StepPolicy } from "./workflow-definition.ts";
import { type StepKind, undoNameOf } from "./workflow-plan.ts";

/** Every question that the engine asks about a kind of step. */
export interface StepKindRules {
  /** The goal that its steps serve. An attempt that runs under the other goal is only waited for. */
  readonly goal: Goal;
  /** When its steps are written down. */
  readonly addedAt: "submission" | "undo";
  /** What makes a waiting step of a task under that goal due. */
  readonly mayStart: (task: Task, step: WaitingStep) => boolean;
  /** Its band in the due order, by the priority of the task. */
  readonly band: (priority: Priority) => Band;
  /** What the final failure of a step means for its task. */
  readonly onFinalFailure: (policy: Pick<StepPolicy, "onFailure">) => "undo" | "halt";
  /** Whether an operator is alerted as soon as a step fails once, and not only when it fails for good. */
  readonly alertsOnFirstFailure: boolean;
  /** Whether its input comes from the workflow's author, so that an operator may correct it. */
  readonly hasCorrectableInput: boolean;
  /** Whether later steps may use its output, so that it has to keep its contract. */
  readonly hasUsableOutput: boolean;
  /** Whether only the Agent that the step names may take it, where the Agents of its pool share no keys. */
  readonly isPinned: (step: Pick<StepRecord, "mayHaveEffect">) => boolean;
  /** The name of the step that undoes one of this kind; null: it cannot be undone. */
  readonly undoneBy: (name: string) => string | null;
}

/**
 * The kinds of steps and all that differs between them. A new kind is a member of `StepKind`, and does not
 * compile until this table answers each question.
 */
export const stepKinds: Readonly<Record<StepKind, StepKindRules>> = {
  call: {
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
