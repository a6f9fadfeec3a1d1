import { agentsOfLane, type LaneLimit, laneLimit, type Milliseconds } from "@holdfast/domain";
import type { LaneCapacity, ProbedLane } from "@holdfast/state-store";
import { type Admission, type AgentState, agentOf } from "./admission.ts";
import { limitOfService, type Remotes } from "./remotes.ts";

/** How many more steps of an Agent may be claimed. */
export interface AgentAllowance {
  readonly slots: number;
  /** How many, if the same transaction makes as many due. */
  readonly most: number;
  /** How many urgent ones. */
  readonly urgent: number;
}

/** How many steps of one lane may be claimed. */
export interface LaneAllowance extends LaneCapacity, AgentAllowance {
  readonly most: number;
  /** Whether its Agent may have more, which it keeps for other lanes that may not need it. */
  readonly isShared: boolean;
}

/** What decides about claims: the Agents, and the remote services that they wrap. */
export interface Claimable {
  readonly admission: Admission;
  readonly remotes: Remotes;
}

/**
 * The part of a limit by slots that is kept free for steps that may have been taken off twice, and
 * the least number of steps.
 */
const uncertainShare = 1 / 3;
const uncertainLeast = 3;
/**
 * The part beyond a limit that is for urgent steps: they need not wait until a slot is free to be
 * on their way.
 */
const urgentShare = 0.1;

const nothing: AgentAllowance = { slots: 0, most: 0, urgent: 0 };

/**
 * What may be claimed of each of these lanes, once the Agents `freed` have one step less in flight
 * each.
 */
export function allowances(
  state: Claimable,
  lanes: readonly string[],
  { now, freed = [] }: { readonly now: Milliseconds; readonly freed?: readonly string[] },
): readonly LaneAllowance[] {
  const freedOf = countOf(freed);
  return shareAmongLanes(state.admission, lanes, (agent) =>
    allowanceOf(state, agent, { now, freed: freedOf.get(agent) ?? 0 }),
  );
}

/**
 * Shares what each Agent may have among its lanes. A pool's steps go to the Agent that is well and
 * may have most, and among equals to each in its turn. Lanes whose steps would go to one Agent
 * share what it may have.
 */
export function shareAmongLanes(
  admission: Admission,
  lanes: readonly string[],
  of: (agent: string) => AgentAllowance,
): readonly LaneAllowance[] {
  const chosen = lanes.map((lane) => ({ lane, agent: chooseAgent(admission, lane, of) }));
  const sharing = countOf(chosen.map(({ agent }) => agent));
  return chosen.map(({ lane, agent }) => {
    const lanesOfAgent = sharing.get(agent) ?? 1;
    const { slots, most, urgent } = of(agent);
    const share = {
      slots: Math.ceil(slots / lanesOfAgent),
      most: Math.ceil(most / lanesOfAgent),
      urgent: Math.ceil(urgent / lanesOfAgent),
      isShared: lanesOfAgent > 1,
    };
    return agent === lane ? { lane, ...share } : { lane, agent, ...share };
  });
}

/** What a claim of all bands may take. */
export const offerAll = (
  admission: Pick<Admission, "saved" | "batchReserve">,
  all: readonly LaneAllowance[],
): readonly LaneAllowance[] =>
  all.filter(({ most }) => most > 0).map((one) => withReserve(admission, one));

/**
 * Reserves a share of the slots for the band `batch`, so that it gets on while more urgent steps
 * keep coming.
 */
export const withReserve = <Capacity extends LaneCapacity>(
  { saved, batchReserve }: Pick<Admission, "saved" | "batchReserve">,
  capacity: Capacity,
): Capacity =>
  batchReserve === 0
    ? capacity
    : {
        ...capacity,
        reserved: Math.floor(
          ((saved.get(capacity.lane) ?? 0) + capacity.slots * batchReserve) / 100,
        ),
      };

/** What a claim of urgent steps may take. */
export const offerUrgent = (all: readonly LaneAllowance[]): readonly LaneCapacity[] =>
  all
    .filter(({ urgent }) => urgent > 0)
    .map(({ urgent, ...lane }) => ({ ...lane, most: urgent, slots: urgent }));

/** The lanes, and the Agent that a step of each would be asked of. */
export const withoutNumbers = ({ lane, agent }: LaneAllowance): ProbedLane =>
  agent === undefined ? { lane } : { lane, agent };

/**
 * Saves up the part of a slot that each lane's share left over, so that small claims reserve
 * something, too.
 */
export function saveReserve(
  { saved, batchReserve }: Pick<Admission, "saved" | "batchReserve">,
  offered: readonly LaneCapacity[],
): void {
  if (batchReserve === 0) return;
  for (const { lane, slots } of offered) {
    saved.set(lane, ((saved.get(lane) ?? 0) + slots * batchReserve) % 100);
  }
}

const countOf = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** The Agent of a lane; of a pool, the one that gets its steps. */
function chooseAgent(
  { agents, unavailable, chosen }: Admission,
  lane: string,
  of: (agent: string) => AgentAllowance,
): string {
  const members = inTurn(agentsOfLane(lane), chosen.get(lane));
  if (members.length === 1) return lane;
  const allowed = members.map((agent) => ({ agent, ...of(agent) }));
  const served = allowed.filter(({ agent }) => (agents.get(agent)?.queue?.consumers ?? 0) > 0);
  const well = served.filter(({ agent }) => !unavailable.has(agent));
  // Where all are sick or stopped, few requests find out when that ends.
  const eligible = [well, served, allowed].find((some) => some.length > 0) ?? allowed;
  const [best] = eligible.toSorted((a, b) => b.slots - a.slots || b.most - a.most);
  return best?.agent ?? "";
}

/** Begins after the one that was chosen last. */
function inTurn(agents: readonly string[], last: string | undefined): readonly string[] {
  const next = last === undefined ? 0 : agents.indexOf(last) + 1;
  return [...agents.slice(next), ...agents.slice(0, next)];
}

/**
 * How many more steps of an Agent may be claimed. A Scheduler has slots up to its share, and no
 * more than all Schedulers have free, because one of them may have died. Of several, each may use
 * some more for steps that its own transaction makes due, so that no other Scheduler claims them.
 */
export function allowanceOf(
  state: Claimable,
  name: string,
  { now, freed = 0 }: { readonly now: Milliseconds; readonly freed?: number },
): AgentAllowance {
  const { maxInFlight, schedulers, agents } = state.admission;
  const { inFlight, own, uncertain } = agents.get(name) ?? none;
  const limit = limitOf(state, name, now);
  // More may have been freed than was counted.
  if (limit.all === 0) return nothing;
  const isBySlots = limit.all < maxInFlight * schedulers;
  const kept = isBySlots ? Math.min(uncertain, mostUncertain(limit.all)) : 0;
  const left = (all: number, ours: number): number =>
    Math.min(all - inFlight, ours - own) + freed - kept;
  const urgent = left(limit.allDue, limit.ownDue) + Math.ceil(limit.all * urgentShare);
  const yielding = areUrgentUnderWay(state.admission, now)
    ? atMost(besideUrgent(state.admission, name), limit, schedulers)
    : limit;
  const slots = Math.max(0, left(yielding.all, yielding.own));
  return { slots, most: left(yielding.allDue, yielding.ownDue), urgent };
}

const none: Pick<AgentState, "inFlight" | "own" | "uncertain"> = {
  inFlight: 0,
  own: 0,
  uncertain: 0,
};

const mostUncertain = (limit: number): number =>
  Math.max(uncertainLeast, Math.ceil(limit * uncertainShare));

/** The Agents that a workflow names and that have a slot free. */
export const agentsWithSlots = (state: Claimable, now: Milliseconds): readonly string[] =>
  state.admission.named.filter((name) => allowanceOf(state, name, { now }).slots > 0);

/**
 * How many steps of an Agent may be in flight: by its slots, and by what its remote service bears.
 */
function limitOf({ admission, remotes }: Claimable, name: string, now: Milliseconds): LaneLimit {
  const { maxInFlight, schedulers, advertised, agents } = admission;
  const agent = agents.get(name);
  const limit = laneLimit({
    maxInFlight: maxInFlight,
    schedulers,
    consumers: agent?.queue?.consumers ?? 0,
    advertised: advertised.get(name)?.slots ?? [],
    earned: agent === undefined ? 0 : earnedOf(agent, now),
  });
  const left = limitOfService(remotes, name, { max: Number.POSITIVE_INFINITY, now });
  return atMost(left, limit, schedulers);
}

/** A limit of which no more is left, for all Schedulers together. */
function atMost(left: number, limit: LaneLimit, schedulers: number): LaneLimit {
  const share = Math.ceil(left / schedulers);
  return {
    ...limit,
    all: Math.min(limit.all, left),
    allDue: Math.min(limit.allDue, left),
    own: Math.min(limit.own, share),
    ownDue: Math.min(limit.ownDue, share),
  };
}

/**
 * Milliseconds after an urgent step in which more are looked for, and in which others are held
 * back.
 */
const urgentExpectedFor = 60_000;
const urgentUnderWayFor = 2_000;

const hasUrgentSince = (
  { urgentAt }: Pick<Admission, "urgentAt">,
  now: Milliseconds,
  ms: Milliseconds,
): boolean => urgentAt !== null && now - urgentAt < ms;

/** Whether to look for urgent steps by themselves: where none come, nothing is spent on them. */
export const areUrgentExpected = (admission: Admission, now: Milliseconds): boolean =>
  hasUrgentSince(admission, now, urgentExpectedFor);

/** Whether others have to leave slots for urgent steps. */
export const areUrgentUnderWay = (admission: Admission, now: Milliseconds): boolean =>
  hasUrgentSince(admission, now, urgentUnderWayFor);

const onTheirWay = 25;

/**
 * The other steps that may be in flight while urgent ones come: what the Agent is working at, as
 * much again, and some on their way. An Agent with long calls keeps all of its slots busy by that.
 * Of one that answers at once more would only wait, in queues and for the processor, and urgent
 * steps with it.
 */
function besideUrgent({ advertised }: Admission, name: string): number {
  const known = advertised.get(name);
  if (known === undefined || known.slots.length === 0) return Number.POSITIVE_INFINITY;
  return onTheirWay + 2 * known.busy;
}

/** Milliseconds. An Agent of which nothing was settled for so long begins anew. */
const earnedFor = 60_000;
/** An Agent whose queue holds so much of what is in flight has had enough. */
const waitingShare = 0.5;

const hasEarned = ({ earnedAt }: Pick<AgentState, "earnedAt">, now: Milliseconds): boolean =>
  earnedAt !== null && now - earnedAt <= earnedFor;

/**
 * How many steps of an Agent this Scheduler may have in flight beyond what its trusted slots allow.
 * An Agent earns one with each step that is settled while most of what is in flight is with
 * instances. So the limit of an Agent with many slots doubles with each of its calls, and an
 * instance that advertises slots that it has not got keeps those that are trusted.
 */
export const earnedOf = (
  agent: Pick<AgentState, "earned" | "earnedAt">,
  now: Milliseconds,
): number => (hasEarned(agent, now) ? agent.earned : 0);

/** A step of the Agent was settled, and is still counted as in flight. */
export function earn(state: Claimable, name: string, now: Milliseconds): void {
  const { unearned } = limitOf(state, name, now);
  const agent = agentOf(state.admission, name);
  if (unearned === 0) keepEarned(agent, now);
  else earnSlot(agent, now);
}

type Earning = Pick<AgentState, "queue" | "inFlight" | "earned" | "earnedAt">;

/** A step of an Agent was settled that needs no more slots: it keeps those that it has. */
export function keepEarned(agent: Earning, now: Milliseconds): void {
  agent.earnedAt = hasEarned(agent, now) ? now : null;
}

/** Earns an Agent one more slot, unless most of what is in flight waits in its queue. */
export function earnSlot(agent: Earning, now: Milliseconds): void {
  const isTaken = (agent.queue?.messages ?? 0) <= agent.inFlight * waitingShare;
  agent.earned = earnedOf(agent, now) + (isTaken ? 1 : 0);
  agent.earnedAt = now;
}

/** What is in flight of one Agent, and how much may be. */
export interface AgentLoad {
  readonly agent: string;
  readonly inFlight: number;
  readonly own: number;
  readonly limit: number;
}

/** What is in flight of each Agent that a workflow names. */
export const loadsOf = (state: Claimable, now: Milliseconds): readonly AgentLoad[] =>
  state.admission.named.map((agent) => {
    const { inFlight, own } = state.admission.agents.get(agent) ?? none;
    return { agent, inFlight, own, limit: limitOf(state, agent, now).all };
  });
