import type { StepRecord } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";

/** The Agent that has the step, or had it last; of one that no Agent had, the first of its pool. */
export const agentOf = ({ plan, agent }: Pick<StepRecord, "plan" | "agent">): string =>
  agent ?? plan.agent;

/**
 * What a step waits for. A step of a pool waits for any of its Agents; once an attempt may have had an effect, for
 * the Agent of that attempt, unless they share keys: to another one the same key would be new.
 */
export function laneOf(step: Pick<StepRecord, "plan" | "agent" | "mayHaveEffect">): string {
  const { pool, kind } = step.plan;
  if (pool === null) return step.plan.agent;
  const isPinned = !pool.sharesKeys && step.agent !== null && stepKinds[kind].isPinned(step);
  return isPinned ? agentOf(step) : pool.name;
}
