import {
  Fault,
  type Json,
  lookupIn,
  resolveTemplate,
  type WorkflowDefinition,
} from "@holdfast/domain";
import type { TaskRecord } from "@holdfast/state-store";

/** An order as its customer's application sees it. */
export function orderResource(task: TaskRecord, definition: WorkflowDefinition) {
  const { taskId, workflow, goal, processState, version, faultCode, input } = task;
  const order = definition.steps.flatMap(({ name }) => [name, `${name}:undo`]);
  const steps = task.steps.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return {
    id: taskId,
    state: processState,
    workflow,
    goal,
    version,
    faultCode,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    finishedAt: task.finishedAt,
    result: processState === "processed" ? resultOf(task, definition) : null,
    order: input,
    steps,
  };
}

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
