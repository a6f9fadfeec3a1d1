import type { StepPolicy, WorkflowDefinition } from "@holdfast/domain";

type Limits = Pick<StepPolicy, "startWithin" | "completeWithin" | "retry"> &
  Partial<Pick<StepPolicy, "coolDown">>;

/** The same workflow with other limits for each step and each undo, under a name of its own. */
export const withLimits = (
  definition: WorkflowDefinition,
  { name, limits }: { readonly name: string; readonly limits: Limits },
): WorkflowDefinition => ({
  ...definition,
  name,
  steps: definition.steps.map((step) => ({
    ...step,
    ...limits,
    undo: step.undo === null ? null : { ...step.undo, ...limits },
  })),
});
