import { isCall, type StepPolicy, type WorkflowDefinition } from "@holdfast/domain";

type Limits = Pick<StepPolicy, "startWithin" | "completeWithin" | "retry"> &
  Partial<Pick<StepPolicy, "coolDown">>;

/**
 * The same workflow with other limits for each step and each undo, under a name of its own. It has
 * no collection: that belongs to the workflow that it was made from. Unless the limits say
 * otherwise, a step that cools down so many times cools down never: that would outlast a test.
 */
export const withLimits = (
  workflow: WorkflowDefinition,
  { name, limits }: { readonly name: string; readonly limits: Limits },
): WorkflowDefinition => {
  const { collection: _, ...definition } = workflow;
  return {
    ...definition,
    name,
    steps: definition.steps.map((step) =>
      isCall(step)
        ? {
            ...step,
            coolDown: step.coolDown?.times == null ? step.coolDown : null,
            ...limits,
            undo: step.undo === null ? null : { ...step.undo, ...limits },
          }
        : step,
    ),
  };
};
