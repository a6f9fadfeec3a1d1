import { agentsOfLane } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import type { Cause, CauseKind, RemoteState, SystemFacts } from "../causes/cause.ts";
import { findCauses } from "../causes/find-causes.ts";
import { emptyInbox, type SeenAgent, type SeenPause, systemFacts } from "../causes/system-facts.ts";
import { type Facts, laneOf } from "./facts.ts";

/** What keeps a step waiting that no other step stands before. */
export interface CausesOfStep {
  /** Causes in the system, its workflow and its remote service, in their order. */
  readonly shared: readonly Cause[];
  /**
   * One for each Agent that may take it, in the order of its lane; null: nothing keeps it there.
   */
  readonly ofAgents: readonly (Cause | null)[];
}

const ofAgents: ReadonlySet<CauseKind> = new Set([
  "agentPaused",
  "agentQueue",
  "agentSilent",
  "circuits",
]);

/** What `findCauses` says of the Agents of a step and of what they need. */
export function causesOfStep({ agent: lane }: StepFacts, facts: Facts): CausesOfStep {
  const agents = agentsOfLane(lane);
  const causes = findCauses(systemOf(facts, agents));
  return {
    shared: causes.filter(({ kind }) => !ofAgents.has(kind)),
    ofAgents: agents.map(
      (agent) => causes.find(({ kind, about }) => ofAgents.has(kind) && about === agent) ?? null,
    ),
  };
}

/** What it is and what helps. */
export const wordsOf = ({ sentence, act }: Cause): string => `${sentence} ${act}`;

function systemOf(facts: Facts, agents: readonly string[]): SystemFacts {
  const { workflow, workflowPaused } = facts;
  const pauses = agents.flatMap((name): SeenPause[] => {
    const { paused } = laneOf(facts, name);
    return paused === null ? [] : [{ kind: "agent", name, paused }];
  });
  return systemFacts({
    ...facts,
    // A task that has steps is out of it.
    inbox: emptyInbox,
    pauses: [
      ...(workflowPaused === null
        ? []
        : [{ kind: "workflow", name: workflow, paused: workflowPaused } as const]),
      ...pauses,
    ],
    agents: agents.map((agent) => seenAgent(agent, facts)),
    remotes: remotesOf(facts, agents),
  });
}

function seenAgent(name: string, facts: Facts): SeenAgent {
  const { instances: living, broken, brokenUntil, lastSeen, announces } = laneOf(facts, name);
  return { name, waiting: null, living, broken, brokenUntil, lastSeen, announces };
}

/** All Agents of a pool call one remote service. */
function remotesOf(facts: Facts, agents: readonly string[]): readonly RemoteState[] {
  const breakers = agents.flatMap((agent) => laneOf(facts, agent).breaker ?? []);
  const known = new Map(breakers.map((breaker) => [breaker.service, breaker]));
  return [...known.values()].map((breaker) => ({ ...breaker, agents }));
}
