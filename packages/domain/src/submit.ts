import type { Decision, DecisionContext } from "./decision.ts";
import { settle } from "./settle.ts";
import { newStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import type { WorkflowPlan } from "./workflow-plan.ts";

/** A new task, its calls written down and the first of them pending. */
export function submit(
  taskId: string,
  workflow: WorkflowPlan,
  context: DecisionContext,
): Decision & { readonly applied: true } {
  const calls = [...workflow.steps.values()].filter(
    ({ kind }) => stepKinds[kind].addedAt === "submission",
  );
  const task: Task = {
    taskId,
    workflow,
    goal: "do",
    processState: "pending",
    faultCode: null,
    paused: false,
    beginAt: null,
    steps: new Map(calls.map((plan) => [plan.name, newStep(plan)])),
  };
  return settle(task, [], context);
}
