import type { Band, Urgency } from "./priority.ts";
import type { Instant, Step, StepRecord } from "./step.ts";
import { asksAgent, stepKinds } from "./step-kinds.ts";
import type { Task } from "./task.ts";
import type { AgentPlan } from "./workflow-plan.ts";

/** The band of a step: undos have their own. */
export const bandOfStep = ({ plan }: Step, { priority }: Pick<Urgency, "priority">): Band =>
  stepKinds[plan.kind].band(priority);

/**
 * The place of a pending step in the due order of its lane and band, from the moment that it may be
 * claimed. Null: not due yet, or its key decides, which the state store knows.
 */
export function rankOf(step: Step, { fairnessKey }: Urgency, now: Instant): Instant | null {
  if (step.processState !== "pending" || step.notBefore > now || fairnessKey !== null) return null;
  return step.notBefore;
}

/**
 * The steps that changed: decisions never copy a step that they leave alone, so the same object is
 * the same step.
 */
export const changedSteps = (before: Task, after: Task): readonly Step[] =>
  [...after.steps.values()].filter((step) => before.steps.get(step.plan.name) !== step);

/** The Agent that has the step, or had it last; of one that no Agent had, the first of its pool. */
export const agentOf = ({ plan, agent }: Pick<StepRecord<AgentPlan>, "plan" | "agent">): string =>
  agent ?? plan.agent;

/** The lane of steps that ask no Agent: no claim looks at it. */
export const noLane = "";

/**
 * What a step waits for. A step of a pool waits for any of its Agents; once an attempt may have had
 * an effect, for the Agent of that attempt, unless they share keys: to another one the same key
 * would be new.
 */
export function laneOf({
  plan,
  agent,
  mayHaveEffect,
}: Pick<StepRecord, "plan" | "agent" | "mayHaveEffect">): string {
  if (!asksAgent(plan)) return noLane;
  const { pool, kind } = plan;
  if (pool === null) return plan.agent;
  const isPinned =
    !pool.sharesKeys && agent !== null && stepKinds[kind].isPinned({ mayHaveEffect });
  return isPinned ? agentOf({ plan, agent }) : pool.name;
}
