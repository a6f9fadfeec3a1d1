import type { Agent, AgentOverview } from "../../api/types.ts";

/** An Agent with what the overview knows of it. */
export interface AgentRow {
  readonly agent: Agent;
  readonly seen: AgentOverview | null;
}

/**
 * Joins both by name. An Agent that the overview does not know, as before its first answer, is
 * shown all the same.
 */
export function agentRows(
  agents: readonly Agent[],
  overviews: readonly AgentOverview[],
): readonly AgentRow[] {
  const byName = new Map(overviews.map((one) => [one.name, one]));
  return agents.map((agent) => ({ agent, seen: byName.get(agent.name) ?? null }));
}

/** The worst breaker of the living instances. */
export function breakerOf({
  instances,
}: Pick<Agent, "instances">): "closed" | "open" | "half-open" {
  const living = instances.filter((one) => one.living).map(({ breaker }) => breaker);
  if (living.includes("open")) return "open";
  return living.includes("half-open") ? "half-open" : "closed";
}
