import type { Instant, Milliseconds } from "@holdfast/domain";
import type { InboxFacts, PathFacts, PauseFacts, SeenInstance } from "@holdfast/state-store";
import type { AgentState, BrokerState, ProcessFacts, RemoteState, SystemFacts } from "./cause.ts";

/** What a look at the broker has shown, as far as the user who looked may see it. */
export interface BrokerView extends BrokerState {
  /** How many Schedulers listen for replies; null: that is not known. */
  readonly schedulers: number | null;
  /**
   * How many consumers each Agent has; null: it has no queue. Of an Agent that is not named nothing
   * is known.
   */
  readonly consumers: Readonly<Record<string, number | null>>;
}

/** A broker of which nothing is known. */
export const unseenBroker: BrokerView = {
  unreachable: null,
  blocked: null,
  schedulers: null,
  consumers: {},
};

/** An inbox in which nothing waits, or of which nothing is known. */
export const emptyInbox: InboxFacts = { waiting: 0, waitingFor: null };

/** A process, as far as it announces itself. */
export type SeenProcess = Pick<SeenInstance, "service" | "living" | "seenAt" | "takesEnqueued">;

/** An Agent, as its heartbeats say. */
export interface SeenAgent {
  readonly name: string;
  /** Steps that wait for it or that it has; null: not counted. */
  readonly waiting: number | null;
  /** Its instances, those of them whose breakers are open, and until when. */
  readonly living: number;
  readonly broken: number;
  readonly brokenUntil: Instant | null;
  /** The instant at which an instance was seen last; null: in the last day, none was. */
  readonly lastSeen: Instant | null;
  /** Whether it has ever sent heartbeats: others are not missed. */
  readonly announces: boolean;
}

/** An Agent or a workflow that is paused. */
export interface SeenPause {
  readonly kind: "agent" | "workflow";
  readonly name: string;
  readonly paused: PauseFacts;
}

/**
 * All that is looked at, by each page and command that says why something waits: none of it can be
 * left out.
 */
export interface SystemSources extends PathFacts {
  readonly now: Instant;
  readonly broker: BrokerView;
  /** The instances of services; null: the store could not be read. */
  readonly instances: readonly SeenProcess[] | null;
  readonly inbox: InboxFacts;
  readonly pauses: readonly SeenPause[];
  readonly agents: readonly SeenAgent[];
  readonly remotes: readonly RemoteState[];
}

/**
 * What `findCauses` is given: the broker is believed where it was asked, and heartbeats where it
 * was not. Pure.
 */
export function systemFacts(sources: SystemSources): SystemFacts {
  const { now, broker, instances, inbox, unproven, outages, pauses, agents, remotes } = sources;
  const announced = processes(({ service }) => service === "scheduler", instances);
  const lastSeen = announced?.lastSeen ?? null;
  const named = new Set(agents.map(({ name }) => name));
  const pausedOnly = pauses.filter(({ kind, name }) => kind === "agent" && !named.has(name));
  return {
    now,
    schedulers: broker.schedulers === null ? announced : { living: broker.schedulers, lastSeen },
    supervisors: processes(({ service }) => service === "supervisor", instances),
    takers: processes(({ takesEnqueued }) => takesEnqueued, instances),
    inbox,
    broker,
    unproven,
    outages,
    workflows: pauses.filter(({ kind }) => kind === "workflow"),
    agents: [
      ...pausedOnly.map(({ name, paused }) => ({ ...unknownAgent, name, paused })),
      ...agents.map((agent) => agentState(agent, { broker, pauses, schedulerSeen: lastSeen })),
    ],
    remotes,
  };
}

const unknownAgent: Omit<AgentState, "name" | "paused"> = {
  waiting: null,
  isServed: null,
  hasQueue: true,
  lastSeen: null,
  broken: null,
};

function processes(
  isOne: (process: SeenProcess) => boolean,
  instances: SystemSources["instances"],
): ProcessFacts | null {
  if (instances === null) return null;
  const own = instances.filter(isOne);
  const seen = own.map(({ seenAt }) => seenAt.getTime());
  return {
    living: own.filter(({ living }) => living).length,
    lastSeen: seen.length === 0 ? null : Math.max(...seen),
  };
}

interface Around {
  readonly broker: BrokerView;
  readonly pauses: readonly SeenPause[];
  readonly schedulerSeen: Instant | null;
}

function agentState(agent: SeenAgent, { broker, pauses, schedulerSeen }: Around): AgentState {
  const { name, waiting, living, broken, brokenUntil, lastSeen } = agent;
  const consumers = broker.consumers[name];
  const pause = pauses.find((one) => one.kind === "agent" && one.name === name);
  // An instance whose breaker is open consumes nothing, on purpose.
  const areAllBroken = broken > 0 && (broken === living || consumers === 0);
  return {
    name,
    waiting,
    lastSeen,
    paused: pause?.paused ?? null,
    hasQueue: consumers !== null,
    isServed: consumers == null ? isHeard(agent, schedulerSeen) : consumers > 0,
    broken: areAllBroken ? { until: brokenUntil } : null,
  };
}

/**
 * Milliseconds that a Scheduler must have lived on after the last heartbeat of an Agent, to have
 * missed one.
 */
const missedWithin: Milliseconds = 5_000;

/**
 * Heartbeats come through Schedulers: an Agent is silent only if one of these was there to notice.
 */
function isHeard(
  { living, announces, lastSeen }: SeenAgent,
  schedulerSeen: Instant | null,
): boolean | null {
  if (living > 0) return true;
  const isMissed = schedulerSeen !== null && schedulerSeen > (lastSeen ?? 0) + missedWithin;
  return announces && isMissed ? false : null;
}
