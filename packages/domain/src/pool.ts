/** Agents of one remote service, any of which may take a step. */
export interface Pool {
  /** What its steps wait for: the lane of the pool. */
  readonly name: string;
  readonly agents: readonly string[];
  /** Whether the remote service knows a key whichever of them sends it. */
  readonly sharesKeys: boolean;
}

/** The sign between the names of a pool's Agents: no name has it. */
const separator = "+";

/** The lane in which the steps of a pool wait for any of its Agents. */
export const poolName = (agents: readonly string[]): string => agents.join(separator);

/** The Agents that may take the steps of a lane: those of its pool, or the one that it is named after. */
export const agentsOfLane = (lane: string): readonly string[] => lane.split(separator);
