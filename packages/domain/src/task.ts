import type { Instant, Step } from "./step.ts";
import { undoNameOf, type WorkflowPlan } from "./workflow-plan.ts";

/** What the task is after: `undo` at most once, and never back. */
export type Goal = "do" | "undo";

/** The sum of its steps; see `summarise`. */
export const taskStates = [
  "pending",
  "processing",
  "processed",
  "halted",
  "undoing",
  "undone",
] as const;
export type TaskState = (typeof taskStates)[number];

/** The states in which a task has not ended. */
export const openTaskStates = [
  "pending",
  "processing",
  "halted",
  "undoing",
] as const satisfies readonly TaskState[];

/** One task with all its steps: what every decision is about. */
export interface Task {
  readonly taskId: string;
  readonly workflow: WorkflowPlan;
  readonly goal: Goal;
  readonly processState: TaskState;
  /** Why the goal became `undo`, or what the task halted with. */
  readonly faultCode: string | null;
  /** An operator has it wait: nothing more of it is begun. */
  readonly paused: boolean;
  /** When its first steps are due, as its submission asked; null: from the beginning. */
  readonly beginAt: Instant | null;
  /** Its steps by name, in the order of the definition; undos appear when the undo begins. */
  readonly steps: ReadonlyMap<string, Step>;
}

/** The moves that a task may make; the guard trigger of the state store has the same. */
export const legalTaskTransitions: Readonly<Record<TaskState, readonly TaskState[]>> = {
  pending: ["processing", "processed", "halted", "undoing", "undone"],
  processing: ["processed", "halted", "undoing", "undone"],
  halted: ["processing", "processed", "undoing", "undone"],
  undoing: ["halted", "undone"],
  processed: [],
  undone: [],
};

export const isFinished = ({ processState }: Pick<Task, "processState">): boolean =>
  legalTaskTransitions[processState].length === 0;

/** The task with some of its steps replaced or added. */
export function withSteps(task: Task, steps: readonly Step[]): Task {
  if (steps.length === 0) return task;
  const changed = new Map(task.steps);
  for (const step of steps) changed.set(step.plan.name, step);
  return { ...task, steps: changed };
}

export const stepsOf = (task: Task): readonly Step[] => [...task.steps.values()];

/** What a step is there for, by its name. */
export const goalOfStep = (name: string): Goal => (name.endsWith(undoNameOf("")) ? "undo" : "do");

/** The pattern of ids of tasks and of tokens: UUIDs in lower case. */
export const idPattern = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

const grammar = new RegExp(idPattern);

/** Whether a text is an id. */
export const isId = (text: string): boolean => grammar.test(text);

/** The id of these 32 hexadecimal digits. */
export const idOfDigits = (digits: string): string =>
  digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
