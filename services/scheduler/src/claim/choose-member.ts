import { agentsOfLane } from "@holdfast/domain";
import type { LaneCapacity } from "@holdfast/state-store";
import type { AgentRoom } from "./lane-capacities.ts";

/** What an Agent has room for. */
export interface AgentCapacity extends AgentRoom {
  /** Whether there is one that consumes its queue. */
  readonly isServed: boolean;
}

/** What may be claimed of one lane. */
export interface ChosenCapacity extends LaneCapacity {
  readonly most: number;
  readonly urgent: number;
  /** Whether its Agent has more room, which it keeps for other lanes that may not need it. */
  readonly isShared: boolean;
}

interface Choice {
  readonly capacityOf: (agent: string) => AgentCapacity;
  /** Agents that are paused, or whose breakers are open. */
  readonly unavailable: ReadonlySet<string>;
}

/**
 * Chooses which Agent gets the steps of each lane, and how many: of a pool, the one that is well and has most room,
 * and of equals each in its turn. Lanes whose steps would go to one Agent share its room.
 */
export function memberChooser() {
  /** The Agent that was chosen last, by lane. */
  const last = new Map<string, string>();
  return (lanes: readonly string[], choice: Choice): readonly ChosenCapacity[] => {
    const chosen = lanes.map((lane) => {
      const agents = inTurn(agentsOfLane(lane), last.get(lane));
      const agent = agents.length === 1 ? lane : chooseMember(agents, choice);
      if (agent !== lane) last.set(lane, agent);
      return { lane, agent };
    });
    const byAgent = Map.groupBy(chosen, ({ agent }) => agent);
    return chosen.map(({ lane, agent }) => {
      const sharing = byAgent.get(agent)?.length ?? 1;
      const { slots, most, urgent } = choice.capacityOf(agent);
      const share = {
        slots: Math.ceil(slots / sharing),
        most: Math.ceil(most / sharing),
        urgent: Math.ceil(urgent / sharing),
        isShared: sharing > 1,
      };
      return agent === lane ? { lane, ...share } : { lane, agent, ...share };
    });
  };
}

/** Begins after the one that was chosen last. */
function inTurn(agents: readonly string[], last: string | undefined): readonly string[] {
  const next = last === undefined ? 0 : agents.indexOf(last) + 1;
  return [...agents.slice(next), ...agents.slice(0, next)];
}

function chooseMember(agents: readonly string[], { capacityOf, unavailable }: Choice): string {
  const members = agents.map((agent) => ({ agent, ...capacityOf(agent) }));
  const served = members.filter(({ isServed }) => isServed);
  const well = served.filter(({ agent }) => !unavailable.has(agent));
  // Where all are sick or stopped, few requests find out when that ends.
  const eligible = [well, served, members].find((some) => some.length > 0) ?? members;
  const [best] = eligible.toSorted((a, b) => b.slots - a.slots || b.most - a.most);
  return best?.agent ?? "";
}
