import type { Decision, DecisionContext } from "./decision.ts";
import { settle } from "./settle.ts";
import { type Instant, newStep } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import type { WorkflowPlan } from "./workflow-plan.ts";

/** A new task, its steps written down and the first of them begun, or to begin at `beginAt`. */
export function submit(
  taskId: string,
  workflow: WorkflowPlan,
  context: DecisionContext,
  beginAt: Instant | null = null,
): Decision & { readonly applied: true } {
  const steps = [...workflow.steps.values()].filter(
    ({ kind }) => stepKinds[kind].addedAt === "submission",
  );
  const task: Task = {
    taskId,
    workflow,
    goal: "do",
    processState: "pending",
    faultCode: null,
    paused: false,
    beginAt,
    steps: new Map(steps.map((plan) => [plan.name, newStep(plan)])),
  };
  return settle(task, [], context);
}
