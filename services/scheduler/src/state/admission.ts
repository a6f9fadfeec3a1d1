import { agentsOfLane, type Milliseconds } from "@holdfast/domain";
import type { ClaimedStep, LaneCapacity, LaneSlots, SchedulerStore } from "@holdfast/state-store";
import { type Delays, delay, forgetDelays } from "../outbox/delayed-destinations.ts";

/**
 * What the broker says of an Agent's queue: how many messages wait in it, and how many consumers it
 * has.
 */
interface InspectedQueue {
  readonly messages: number;
  readonly consumers: number;
}

/** What a Scheduler knows of one Agent. */
export interface AgentState {
  /** Steps in flight: of all Schedulers, and of this one. */
  inFlight: number;
  own: number;
  /** What this Scheduler has added and taken off since the last count began. */
  changed: number;
  /**
   * Steps that were taken off and that the last count may not have had any more: they may be taken
   * off twice.
   */
  uncertain: number;
  /** What becomes of `uncertain` when the count that runs has ended. */
  nextUncertain: number;
  /** Its queue as it was last inspected; null: not yet. One that is missing has no consumers. */
  queue: InspectedQueue | null;
  /**
   * When it got a consumer, while it counts as absent for want of a heartbeat; null: it does not.
   */
  arrivedAt: Milliseconds | null;
  /**
   * Steps that it may have in flight beyond what its trusted slots allow, and when one was last
   * settled.
   */
  earned: number;
  earnedAt: Milliseconds | null;
}

/** The count of steps in flight that the store makes. One runs at a time. */
interface CountState {
  isRunning: boolean;
  begunAt: Milliseconds;
  /** When the next one may begin. */
  dueAt: Milliseconds;
  /** When the last one ended; null: none has. */
  endedAt: Milliseconds | null;
  /**
   * Whether one has begun since the last that succeeded: what changes may be in the next or not.
   */
  isOpen: boolean;
  /** Whether a step may have been counted twice: as claimed, and by the store. */
  isDoubtful: boolean;
}

/** What decides how many steps of which Agents may be claimed. */
export interface Admission {
  /**
   * How many steps of one Agent each Scheduler may have in flight, whatever the Agent advertises.
   */
  readonly maxInFlight: number;
  /** Percent of the slots of a claim that are for the band `batch`, if a step of it is due. */
  readonly batchReserve: number;
  readonly agents: Map<string, AgentState>;
  /** The lanes of all workflows, and their Agents. */
  lanes: readonly string[];
  named: readonly string[];
  /** Agents that should get no step of a pool that another Agent could have. */
  unavailable: ReadonlySet<string>;
  /** The slots of each living instance, and how many of all are taken, by Agent. */
  advertised: ReadonlyMap<string, Pick<LaneSlots, "slots" | "busy">>;
  /** How many Schedulers there are, as shows at the queue that they all consume. */
  schedulers: number;
  /**
   * Agents whose queues are missing. They are inspected less and less often: of retired workflows,
   * for ever.
   */
  readonly missing: Delays;
  /** When lanes are read again, and queues inspected. */
  lanesDueAt: Milliseconds;
  queuesDueAt: Milliseconds;
  readonly count: CountState;
  /** When an urgent step was last seen; null: never. */
  urgentAt: Milliseconds | null;
  /** The Agent that was chosen last for each pool. */
  readonly chosen: Map<string, string>;
  /** The reserve of each lane that is less than one slot, in percent of one. */
  readonly saved: Map<string, number>;
}

type Counts = Awaited<ReturnType<SchedulerStore["countStepsInFlight"]>>;

/**
 * A queue as the broker knows it; null: it is missing. `refused`: it was to be declared, and could
 * not be.
 */
export interface FoundQueue {
  readonly agent: string;
  readonly queue: InspectedQueue | null;
  readonly isRefused: boolean;
}

/** What happens to the steps of Agents, and what is read about Agents. */
export type AdmissionObservation =
  /** A read begins. */
  | { readonly kind: "reading"; readonly what: "lanes" | "queues" | "counts" }
  | {
      readonly kind: "lanes";
      readonly lanes: readonly string[];
      readonly unavailable: readonly string[];
    }
  | { readonly kind: "slots"; readonly found: readonly LaneSlots[] }
  | { readonly kind: "schedulers"; readonly count: number }
  | { readonly kind: "queues"; readonly found: readonly FoundQueue[] }
  /** The count that ran has ended; null: it failed. */
  | { readonly kind: "counted"; readonly counts: Counts | null }
  /**
   * A claim may take what is offered of the lanes that were looked at; that of a probe takes one
   * step.
   */
  | {
      readonly kind: "offered";
      readonly to: "all" | "urgent" | "probe";
      readonly lanes: readonly Pick<LaneCapacity, "lane" | "agent">[];
      readonly offered: readonly LaneCapacity[];
    }
  /** `since`: when the claim began. A count that overlapped it has the steps or has not. */
  | {
      readonly kind: "claimed";
      readonly claims: readonly Pick<ClaimedStep, "agent" | "priority">[];
      readonly since: Milliseconds;
    };

/**
 * Milliseconds after which the list of lanes, and the consumers of their queues, are read again.
 */
const readEvery = 1_000;
/** Milliseconds between two counts of all Schedulers together. */
export const countEvery = 100;
const countDelayFactor = 4;
/** Milliseconds that the first heartbeat of an instance may take after its consumer. */
const heartbeatWithin = 1_000;
/**
 * Milliseconds until a missing queue is inspected again, at most: it costs a channel, and an error
 * in the broker's log.
 */
const longestMissing = 15_000;

interface Settings {
  readonly maxInFlight: number;
  readonly batchReserve?: number | undefined;
}

export const newAdmission = ({ maxInFlight, batchReserve = 0 }: Settings): Admission => ({
  maxInFlight,
  batchReserve,
  agents: new Map(),
  lanes: [],
  named: [],
  unavailable: new Set(),
  advertised: new Map(),
  schedulers: 1,
  missing: new Map(),
  lanesDueAt: 0,
  queuesDueAt: 0,
  count: {
    isRunning: false,
    begunAt: 0,
    dueAt: 0,
    endedAt: null,
    isOpen: false,
    isDoubtful: false,
  },
  urgentAt: null,
  chosen: new Map(),
  saved: new Map(),
});

/** The state of an Agent, which is made if nothing is known of it. */
export function agentOf({ agents }: Pick<Admission, "agents">, name: string): AgentState {
  const known = agents.get(name);
  if (known !== undefined) return known;
  const agent = newAgent();
  agents.set(name, agent);
  return agent;
}

const newAgent = (): AgentState => ({
  inFlight: 0,
  own: 0,
  changed: 0,
  uncertain: 0,
  nextUncertain: 0,
  queue: null,
  arrivedAt: null,
  earned: 0,
  earnedAt: null,
});

/** Takes over which lanes there are, and which of their Agents are unavailable. */
export function replaceLanes(
  admission: Admission,
  { lanes, unavailable }: Extract<AdmissionObservation, { kind: "lanes" }>,
): void {
  admission.lanes = lanes;
  admission.named = [...new Set(lanes.flatMap(agentsOfLane))];
  admission.unavailable = new Set(unavailable);
}

/** Takes over the slots that Agents advertise. */
export function replaceSlots(admission: Admission, slots: readonly LaneSlots[]): void {
  const found = new Map(slots.map((one) => [one.lane, one]));
  // An instance that joins or leaves shows at the queue, too; only both together say what may be
  // asked for.
  if (instancesChanged(admission.advertised, found)) admission.queuesDueAt = 0;
  admission.advertised = found;
}

function instancesChanged(before: Admission["advertised"], after: Admission["advertised"]) {
  const count = (known: Admission["advertised"], name: string) =>
    known.get(name)?.slots.length ?? 0;
  return [...before.keys(), ...after.keys()].some(
    (name) => count(before, name) !== count(after, name),
  );
}

/**
 * Takes over queues as they were inspected. An Agent that has just come counts as absent until its
 * slots are known, or until it is clear that it sends no heartbeats: otherwise it would get all
 * that may be in flight at once.
 */
export function replaceQueues(
  admission: Admission,
  found: readonly FoundQueue[],
  now: Milliseconds,
): void {
  forgetDelays(admission.missing, { now, longest: longestMissing });
  const inspected = new Set(found.map(({ agent }) => agent));
  for (const [name, agent] of admission.agents) if (!inspected.has(name)) forgetQueue(agent);
  for (const { agent: name, queue: seen, isRefused } of found) {
    if (seen !== null) admission.missing.delete(name);
    if (isRefused) delay(admission.missing, name, { now, longest: longestMissing });
    const agent = agentOf(admission, name);
    const queue = seen ?? { messages: 0, consumers: 0 };
    const isHeard = admission.advertised.has(name);
    const isComing = queue.consumers > 0 && !isHeard && agent.queue?.consumers === 0;
    const arrivedAt = isComing ? (agent.arrivedAt ?? now) : null;
    const isAbsent = arrivedAt !== null && now - arrivedAt < heartbeatWithin;
    agent.arrivedAt = isAbsent ? arrivedAt : null;
    agent.queue = isAbsent ? { ...queue, consumers: 0 } : queue;
  }
}

function forgetQueue(agent: AgentState): void {
  agent.queue = null;
  agent.arrivedAt = null;
}

/**
 * A count begins: what changes from now on may be in it or not. All Schedulers together count every
 * 100 ms at most, for each of them counts what all have in flight.
 */
function beginCount({ count, agents, schedulers }: Admission, now: Milliseconds): void {
  for (const agent of agents.values()) {
    agent.changed = 0;
    agent.nextUncertain = 0;
  }
  const dueAt = now + countEvery * schedulers;
  Object.assign(count, { isRunning: true, begunAt: now, dueAt, isOpen: true, isDoubtful: false });
}

/**
 * Ends a count. The next one follows the later, the longer it took: counting takes a fifth of the
 * time at most.
 */
export function endCount(
  { count }: Admission,
  { hasFailed, now }: { readonly hasFailed: boolean; readonly now: Milliseconds },
): void {
  const took = now - count.begunAt;
  if (!hasFailed) count.dueAt = Math.max(count.dueAt, now + countDelayFactor * took);
  count.isRunning = false;
  count.endedAt = now;
}

/** Takes over a count, and applies to it what has changed since it began. */
export function replaceCounts(admission: Admission, counts: Counts): void {
  const { agents, count } = admission;
  for (const agent of agents.values()) Object.assign(agent, { inFlight: 0, own: 0 });
  for (const { lane, inFlight, own } of counts)
    Object.assign(agentOf(admission, lane), { inFlight, own });
  for (const agent of agents.values()) {
    agent.uncertain = agent.nextUncertain;
    agent.nextUncertain = 0;
    addInFlight(agent, agent.changed);
  }
  count.isOpen = false;
  forgetRetired(admission);
}

/** Forgets Agents that no workflow names any more and that have nothing in flight. */
function forgetRetired({ agents, named }: Admission): void {
  if (agents.size <= named.length) return;
  const current = new Set(named);
  for (const [name, { inFlight, own, changed }] of agents) {
    if (!current.has(name) && inFlight + own === 0 && changed === 0) agents.delete(name);
  }
}

function addInFlight(agent: AgentState, steps: number): void {
  agent.inFlight = Math.max(0, agent.inFlight + steps);
  agent.own = Math.max(0, agent.own + steps);
}

/**
 * Whether a count may have overlapped what began then. Null: when is unknown, so any count may
 * have.
 */
const overlapsCount = ({ isRunning, endedAt }: CountState, since: Milliseconds | null): boolean =>
  isRunning || (endedAt !== null && (since === null || since < endedAt));

/** A step of the Agent was claimed, by a claim that began then. */
export function addClaimed(admission: Admission, name: string, since: Milliseconds): void {
  const { count } = admission;
  const agent = agentOf(admission, name);
  addInFlight(agent, 1);
  agent.changed += 1;
  count.isDoubtful ||= overlapsCount(count, since);
}

/**
 * A step of the Agent was settled, by a transaction that began then. A count that overlapped it had
 * the step or had it not.
 */
export function takeOffSettled(
  admission: Admission,
  name: string,
  since: Milliseconds | null,
): void {
  const { count } = admission;
  const agent = agentOf(admission, name);
  addInFlight(agent, -1);
  agent.changed -= 1;
  if (!overlapsCount(count, since)) return;
  if (count.isOpen) agent.nextUncertain += 1;
  else agent.uncertain += 1;
  count.isDoubtful = true;
}

/** Notes that a read begins, so that no other one does. */
export function beginRead(
  admission: Admission,
  what: Extract<AdmissionObservation, { kind: "reading" }>["what"],
  now: Milliseconds,
): void {
  if (what === "lanes") admission.lanesDueAt = now + readEvery;
  else if (what === "queues") admission.queuesDueAt = now + readEvery;
  else beginCount(admission, now);
}

/** Whether it is time to read something again. */
export function isDue(
  { lanesDueAt, queuesDueAt, count }: Admission,
  what: Extract<AdmissionObservation, { kind: "reading" }>["what"],
  now: Milliseconds,
): boolean {
  if (what === "lanes") return now >= lanesDueAt;
  if (what === "queues") return now >= queuesDueAt;
  return !count.isRunning && now >= count.dueAt;
}

/** Milliseconds until a count is needed that nothing else asks for; null: none is. */
export const recountIn = ({ count }: Admission, now: Milliseconds): Milliseconds | null =>
  // An Agent that only seems to be full may expect no reply, and nothing else would have it counted
  // again.
  count.isDoubtful && !count.isRunning ? Math.max(0, count.dueAt - now) : null;

/**
 * Milliseconds after which the slots that Agents advertise are read again: while they work, and
 * otherwise.
 */
const slotsEvery = { busy: 500, idle: 1_000 };

/** Whether a step of an Agent that a workflow names is in flight. */
export const isBusy = ({ named, agents }: Admission): boolean =>
  named.some((name) => (agents.get(name)?.inFlight ?? 0) > 0);

export const slotsReadIn = (admission: Admission): Milliseconds =>
  isBusy(admission) ? slotsEvery.busy : slotsEvery.idle;

/** Whether an instance has joined or left since the queues were inspected. */
export const areQueuesOutdated = ({ queuesDueAt }: Admission): boolean => queuesDueAt === 0;
