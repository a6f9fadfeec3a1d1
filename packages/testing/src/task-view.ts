import {
  type Goal,
  type Json,
  lookupIn,
  resolveTemplate,
  type StepState,
  type TaskState,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { Move, StoredTask } from "./simulator/store/memory-task.ts";

/** How a step stands. */
export interface StepView {
  readonly state: StepState;
  /** How often the step was claimed. */
  readonly attempt: number;
  readonly failureCount: number;
  /** The code of its last fault; null: none. */
  readonly faultCode: string | null;
  /** What its handler returned; undefined: nothing yet. */
  readonly output: Json | undefined;
}

/** How a task stands. */
export interface TaskView {
  readonly id: string;
  readonly state: TaskState;
  readonly goal: Goal;
  /** Why it is undone, or what it halted with; null: neither. */
  readonly faultCode: string | null;
  /** The steps by name. Undos, `<step>:undo`, appear when the undo begins. */
  readonly steps: Readonly<Record<string, StepView>>;
  /** What the workflow returns, once the task is processed; null before. */
  readonly output: Json;
  /** Every move of the task and its steps, in order. */
  readonly history: readonly Move[];
}

/** What a test sees of a task at this moment. */
export function viewOf(
  { task, outputs, input }: StoredTask,
  history: readonly Move[],
  definition: Pick<WorkflowDefinition, "output">,
): TaskView {
  const steps = [...task.steps].map(([name, step]): readonly [string, StepView] => {
    const { processState: state, attempt, failureCount, faultCode } = step;
    return [name, { state, attempt, failureCount, faultCode, output: outputs.get(name) }];
  });
  const skipped = [...task.steps.values()]
    .filter(({ processState }) => processState === "skipped")
    .map(({ plan }) => [plan.name, null] as const);
  const values = { input, outputs: new Map<string, Json>([...outputs, ...skipped]) };
  return {
    id: task.taskId,
    state: task.processState,
    goal: task.goal,
    faultCode: task.faultCode,
    steps: Object.fromEntries(steps),
    output:
      task.processState === "processed"
        ? resolveTemplate(definition.output, lookupIn(values))
        : null,
    history: history.filter(({ taskId }) => taskId === task.taskId),
  };
}
