import { agentsOfLane } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import type { AgentState, Cause, CauseKind, RemoteState, SystemFacts } from "../causes/cause.ts";
import { findCauses } from "../causes/find-causes.ts";
import { type Facts, laneOf } from "./facts.ts";

/** What keeps a step waiting that no other step stands before. */
export interface CausesOfStep {
  /** Causes in the system, its workflow and its remote service, in their order. */
  readonly shared: readonly Cause[];
  /** One for each Agent that may take it, in the order of its lane; null: nothing keeps it there. */
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
  const { broker, workflow, workflowPaused, now } = facts;
  return {
    now,
    schedulers: broker === null ? null : { living: broker.schedulers, lastSeen: null },
    supervisors: null,
    blocked: broker?.blocked ?? null,
    unproven: [],
    workflows: workflowPaused === null ? [] : [{ name: workflow, paused: workflowPaused }],
    agents: agents.map((agent) => agentOf(agent, facts)),
    remotes: remotesOf(facts, agents),
  };
}

/** An instance whose breaker is open consumes nothing, on purpose. */
function agentOf(name: string, facts: Facts): AgentState {
  const { broker } = facts;
  const { paused, instances, broken, brokenUntil } = laneOf(facts, name);
  const consumers = broker === null ? null : (broker.consumers[name] ?? null);
  const allBroken = broken > 0 && (broken === instances || consumers === 0);
  return {
    name,
    paused,
    waiting: null,
    isServed: consumers === null ? null : consumers > 0,
    hasQueue: broker === null || consumers !== null,
    lastSeen: null,
    broken: allBroken ? { until: brokenUntil } : null,
  };
}

/** All Agents of a pool call one remote service. */
function remotesOf(facts: Facts, agents: readonly string[]): readonly RemoteState[] {
  const breakers = agents.flatMap((agent) => laneOf(facts, agent).breaker ?? []);
  const known = new Map(breakers.map((breaker) => [breaker.service, breaker]));
  return [...known.values()].map((breaker) => ({ ...breaker, agents }));
}
