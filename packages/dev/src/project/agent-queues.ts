import { agentsOfStep, callsOf, type WorkflowDefinition } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { declareTopology, topologyOf } from "@holdfast/messaging";

/** The queues of the Agents that workflows call. */
export interface AgentQueues {
  /** Makes those that are missing: an Agent in another language declares none. */
  declare(definitions: readonly WorkflowDefinition[]): Promise<void>;
}

/** Opens the queues of a broker, once it is up. A queue that was declared is not declared again. */
export function openAgentQueues(brokerUrl: string, brokerUp: Promise<void>): AgentQueues {
  const declared = new Set<string>();
  return {
    async declare(definitions) {
      const agents = agentsOf(definitions).filter((agent) => !declared.has(agent));
      if (agents.length === 0) return;
      await brokerUp;
      await askBroker(brokerUrl, (channel) => declareTopology(channel, topologyOf(agents)));
      for (const agent of agents) declared.add(agent);
    },
  };
}

const agentsOf = (definitions: readonly WorkflowDefinition[]): readonly string[] => [
  ...new Set(definitions.flatMap(callsOf).flatMap(agentsOfStep)),
];
