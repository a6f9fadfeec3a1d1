import {
  bandOfStep,
  closeFairnessGaps,
  foldEvents,
  planWorkflow,
  rankFairSteps,
  submit,
  type WorkflowDefinition,
  type WorkflowPlan,
} from "@holdfast/domain";

/** What of the domain a store asks for. */
export interface Domain {
  readonly foldEvents: typeof foldEvents;
  readonly submit: typeof submit;
  readonly planWorkflow: typeof planWorkflow;
  readonly bandOfStep: typeof bandOfStep;
  readonly rankFairSteps: typeof rankFairSteps;
  readonly closeFairnessGaps: typeof closeFairnessGaps;
}

const plans = new WeakMap<WorkflowDefinition, WorkflowPlan>();

/** The domain as it is. Plans are kept: they never change, and thousands of stores ask for them. */
export const realDomain: Domain = {
  foldEvents,
  submit,
  bandOfStep,
  rankFairSteps,
  closeFairnessGaps,
  planWorkflow(definition) {
    const plan = plans.get(definition) ?? planWorkflow(definition);
    plans.set(definition, plan);
    return plan;
  },
};
