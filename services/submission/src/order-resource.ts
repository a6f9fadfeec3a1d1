import {
  Fault,
  type Json,
  lookupIn,
  resolveTemplate,
  undoNameOf,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { HistoryEntry, TaskRecord } from "@holdfast/state-store";
import { publicName } from "./public-names.ts";

/** An order as its customer's application sees it. */
export interface OrderResource
  extends Omit<TaskRecord, "taskId" | "processState" | "input" | "steps"> {
  readonly id: string;
  readonly state: TaskRecord["processState"];
  /** What the workflow results in; null until the order is processed. */
  readonly result: Json;
  readonly order: Json;
  /** In the order of the workflow, each followed by what undoes it. */
  readonly steps: TaskRecord["steps"];
}

export function orderResource(task: TaskRecord, definition: WorkflowDefinition): OrderResource {
  const { taskId: id, processState: state, input: order, steps, ...rest } = task;
  const names = definition.steps.flatMap(({ name }) => [name, undoNameOf(name)]);
  return {
    id,
    state,
    ...rest,
    result: state === "processed" ? resultOf(task, definition) : null,
    order,
    steps: steps
      .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
      .map((step) => ({ ...step, lockedBy: step.lockedBy && publicName(step.lockedBy) })),
  };
}

/** One entry of an order's history, as its customer's application sees it. */
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
