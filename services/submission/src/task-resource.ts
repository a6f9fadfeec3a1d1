import {
  Fault,
  type Json,
  lookupIn,
  resolveTemplate,
  undoNameOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { HistoryEntry, TaskRecord } from "@holdfast/state-store";
import type { Noun } from "./noun.ts";
import { publicName } from "./public-names.ts";

/** A task as the application that submitted it sees it, with its input under the name that its noun says. */
export interface TaskResource
  extends Omit<TaskRecord, "taskId" | "processState" | "input" | "steps"> {
  readonly id: string;
  readonly state: TaskRecord["processState"];
  /** What the workflow results in; null until the task is processed. */
  readonly result: Json;
  /** In the order of the workflow, each followed by what undoes it. */
  readonly steps: TaskRecord["steps"];
}

export function taskResource(
  task: TaskRecord,
  definition: WorkflowDefinition,
  { inputField }: Noun,
): TaskResource {
  const { taskId: id, processState: state, input, steps, ...rest } = task;
  const names = definition.steps.flatMap(({ name }) => [name, undoNameOf(name)]);
  return {
    id,
    state,
    ...rest,
    result: state === "processed" ? resultOf(task, definition) : null,
    [inputField]: input,
    steps: steps
      .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
      .map((step) => ({ ...step, lockedBy: step.lockedBy && publicName(step.lockedBy) })),
  };
}

/** One entry of a task's history, as the application that submitted it sees it. */
export const historyResource = (entry: HistoryEntry): HistoryEntry => ({
  ...entry,
  actor: publicName(entry.actor),
});

/** What the workflow says a processed task results in; nothing of it is stored. */
function resultOf({ input, steps }: TaskRecord, { output }: WorkflowDefinition): Json {
  const outputs = new Map(steps.map((step) => [step.name, step.output]));
  try {
    return resolveTemplate(output, lookupIn({ input, outputs }));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
