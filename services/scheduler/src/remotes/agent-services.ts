import { agentsOfLane } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "findAgentServices">;
  readonly clock: Pick<Clock, "now">;
}

/** Milliseconds. Which service an Agent wraps changes only with a workflow that is stored. */
const readEvery = 5_000;

/** The remote services that Agents wrap. An Agent of which no workflow says more wraps one of its own name. */
export function agentServices({ store, clock }: Dependencies) {
  let services: ReadonlyMap<string, string> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    /** The service behind a lane. All Agents of a pool share one. */
    of(lane: string): string {
      const [agent = lane] = agentsOfLane(lane);
      return services.get(agent) ?? agent;
    },
    async refresh(): Promise<void> {
      if (clock.now() < readAt + readEvery) return;
      const found = await store.findAgentServices();
      services = new Map(found.map(({ agent, service }) => [agent, service]));
      readAt = clock.now();
    },
  };
}
