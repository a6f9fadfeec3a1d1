import { agentQueue } from "@holdfast/contracts";
import { agentsOfLane } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "findUnavailableAgents">;
  readonly broker: Pick<Broker, "inspect">;
}

/** The lanes of the stored workflows and their Agents, as they were found last. What is found is applied by the caller. */
export function agentDirectory({ store, broker }: Dependencies) {
  let lanes: readonly string[] = [];
  let agents: readonly string[] = [];
  let unavailable: ReadonlySet<string> = new Set();
  let served: ReadonlySet<string> = new Set();

  return {
    lanes: () => lanes,
    agents: () => agents,
    /** Those that should get no step of a pool that another Agent could have. */
    unavailable: () => unavailable,
    /** Whether an instance consumes its queue. */
    isServed: (agent: string): boolean => served.has(agent),

    async findLanes(): Promise<() => void> {
      const found = await store.findLanes();
      const names = [...new Set(found.flatMap(agentsOfLane))];
      const hasPools = names.length < found.length;
      const absent = new Set(hasPools ? await store.findUnavailableAgents() : []);
      return () => {
        lanes = found;
        agents = names;
        unavailable = absent;
      };
    },

    async findConsumers(): Promise<() => void> {
      const asked = agents;
      const queues = await Promise.all(asked.map((agent) => broker.inspect(agentQueue(agent))));
      const found = asked.filter((_, index) => (queues[index]?.consumers ?? 0) > 0);
      return () => {
        served = new Set(found);
      };
    },
  };
}
