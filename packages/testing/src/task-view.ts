import {
  type Goal,
  type Json,
  type Lookup,
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

/** The values of a task by their pointers: of its input, and of what its steps have returned. */
export function valuesIn({ task, outputs, input }: StoredTask): Lookup {
  const skipped = [...task.steps.values()]
    .filter(({ processState }) => processState === "skipped")
    .map(({ plan }) => [plan.name, null] as const);
  return lookupIn({ input, outputs: new Map<string, Json>([...outputs, ...skipped]) });
}

/** What a test sees of a task at this moment. */
export function viewOf(
  stored: StoredTask,
  history: readonly Move[],
  definition: Pick<WorkflowDefinition, "output">,
): TaskView {
  const { task, outputs } = stored;
  const steps = [...task.steps].map(([name, step]): readonly [string, StepView] => {
    const { processState: state, attempt, failureCount, faultCode } = step;
    return [name, { state, attempt, failureCount, faultCode, output: outputs.get(name) }];
  });
  return {
    id: task.taskId,
    state: task.processState,
    goal: task.goal,
    faultCode: task.faultCode,
    steps: Object.fromEntries(steps),
    output:
      task.processState === "processed"
        ? resolveTemplate(definition.output, valuesIn(stored))
        : null,
    history: history.filter(({ taskId }) => taskId === task.taskId),
  };
}
