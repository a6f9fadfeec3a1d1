import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { LaneCapacity, ProbedLane, SchedulerStore } from "@holdfast/state-store";
import type { AgentLoad } from "../metrics/expose-lanes.ts";
import { type ChosenCapacity, memberChooser } from "./choose-member.ts";
import { inFlightCounts } from "./in-flight-counts.ts";
import { laneCapacities } from "./lane-capacities.ts";
import { laneFacts } from "./lane-facts.ts";

interface Dependencies {
  readonly store: Pick<
    SchedulerStore,
    "countStepsInFlight" | "findAgentSlots" | "findLanes" | "findUnavailableAgents"
  >;
  readonly broker: Pick<Broker, "declareAgent" | "inspect">;
  /** How many steps of one Agent each Scheduler may have in flight, whatever its Agent advertises. */
  readonly maxInFlight: number;
  /** What is left of a limit while the remote service of the Agent is in trouble. */
  readonly limitOf: (agent: string, max: number) => number;
  /** Which of them are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  /** Ends counting. */
  readonly signal: AbortSignal;
  /** Called when an Agent without slots gets some. */
  readonly onCapacity: () => void;
}

/** Milliseconds after which the slots that Agents advertise are read again: while they work, and otherwise. */
const slotsEvery = { busy: 500, idle: 1_000 };

/**
 * How many more steps of each lane may be claimed, and for which Agent of a pool. The backlog waits in the state store, where it can be
 * reordered, paused and cancelled, so queues are kept short: an Agent is asked for twice as much as its instances
 * have slots.
 */
export function inFlightLimits(deps: Dependencies) {
  const { log, onCapacity } = deps;
  const choose = memberChooser();
  const stateOf = (agent: string) => ({ ...counts.of(agent), ...facts.of(agent) });
  const capacityOf = (agent: string, freed = 0) =>
    capacities.of(agent, { ...stateOf(agent), freed });
  const withSlots = () => facts.agents().filter((agent) => capacityOf(agent).slots > 0);
  const replace = noticing(withSlots, onCapacity);
  /** The Agent of each lane, and what it has room for once the Agents `freed` have one step less in flight each. */
  const chosen = (lanes: readonly string[], freed: readonly string[]) => {
    const roomOf = (agent: string) => ({
      ...capacityOf(agent, freed.filter((one) => one === agent).length),
      isServed: facts.of(agent).queue.consumers > 0,
    });
    return choose(lanes, { capacityOf: roomOf, unavailable: facts.unavailable() });
  };

  const refreshStale = async (): Promise<void> => {
    await facts.refreshStale();
    if (!counts.areStale() || facts.lanes().length === 0) return;
    await counts.count({ schedulers: facts.schedulers() });
  };
  const refreshInBackground = () =>
    refreshStale().catch((err: unknown) => log.warn({ err }, "in-flight limits not refreshed"));
  const urgentOnes = urgentSteps(deps.clock);
  const capacities = laneCapacities({ ...deps, isHurried: urgentOnes.areUnderWay });
  const facts = laneFacts({ ...deps, replace });
  const onUrgent = urgentOnes.saw;
  const counts = inFlightCounts({ ...deps, replace, refresh: refreshInBackground, onUrgent });

  return {
    ...roomOfLanes(chosen, facts.lanes),
    urgent: urgentOnes,
    /** Refreshes what is stale, and waits for that only while no lane is known. */
    async refresh(): Promise<void> {
      if (facts.lanes().length === 0) await refreshStale();
      else void refreshInBackground();
    },
    /** Reads the slots that Agents advertise. Resolves to the delay until the next time, in milliseconds. */
    async round(): Promise<number> {
      await facts.refreshSlots();
      const agents = facts.agents();
      const isBusy = agents.some((agent) => counts.of(agent).inFlight > 0);
      if (agents.length > 0 && (isBusy || facts.areQueuesOutdated())) await refreshStale();
      return isBusy ? slotsEvery.busy : slotsEvery.idle;
    },
    /** Whether an Agent has no slot free. */
    isFull: (agent: string): boolean => capacityOf(agent).slots === 0,
    /** `since`: on our clock, when the claim began. */
    claimed: (agent: string, since: number): void => counts.claimed(agent, since),
    /** The lanes of all workflows. */
    lanes: (): readonly string[] => facts.lanes(),
    ...loadsOfAgents(facts, { stateOf, limitOf: capacities.limit }),
    /** `since`: on our clock, when the transaction that settled the step began. */
    settled(agent: string, since: number): void {
      capacities.settled(agent, stateOf(agent));
      counts.settled(agent, since);
    },
  };
}

interface AgentState {
  readonly inFlight: number;
  readonly own: number;
}

interface LoadOptions<State extends AgentState> {
  readonly stateOf: (agent: string) => State;
  readonly limitOf: (agent: string, state: State) => number;
}

/** What is known of the Agents and the other Schedulers, to be exposed. */
const loadsOfAgents = <State extends AgentState>(
  { agents, schedulers }: Pick<ReturnType<typeof laneFacts>, "agents" | "schedulers">,
  { stateOf, limitOf }: LoadOptions<State>,
) => ({
  /** Whether a stored workflow names this Agent. */
  isAgent: (name: string): boolean => agents().includes(name),
  /** How many Schedulers there are. */
  schedulers,
  /** What is in flight of each Agent. */
  loads: (): readonly AgentLoad[] =>
    agents().map((agent) => {
      const state = stateOf(agent);
      const { inFlight, own } = state;
      return { agent, inFlight, own, limit: limitOf(agent, state) };
    }),
});

/** What may be claimed of which lanes. */
const roomOfLanes = (
  chosen: (lanes: readonly string[], freed: readonly string[]) => readonly ChosenCapacity[],
  lanes: () => readonly string[],
) => ({
  /** What may be claimed once the Agents `freed` have one step less in flight each. */
  capacity: (freed: readonly string[]): readonly ChosenCapacity[] =>
    chosen(lanes(), freed).filter(({ most }) => most > 0),
  /** How many urgent steps may be claimed then. */
  urgentCapacity: (freed: readonly string[]): readonly LaneCapacity[] =>
    chosen(lanes(), freed)
      .filter(({ urgent }) => urgent > 0)
      .map(({ urgent, ...lane }) => ({ ...lane, most: urgent, slots: urgent })),
  /** Chooses the Agent that a step of each of these lanes would be asked of. */
  choose: (some: readonly string[]): readonly ProbedLane[] => chosen(some, []).map(withoutRoom),
});

const withoutRoom = ({ lane, agent }: ChosenCapacity): ProbedLane =>
  agent === undefined ? { lane } : { lane, agent };

/** Makes changes, and notices when an Agent without slots gets some by one. */
const noticing =
  (agentsWithSlots: () => readonly string[], onCapacity: () => void) =>
  (change: () => void): void => {
    const known = new Set(agentsWithSlots());
    change();
    if (agentsWithSlots().some((agent) => !known.has(agent))) onCapacity();
  };

export type InFlightLimits = ReturnType<typeof inFlightLimits>;

/** Milliseconds after an urgent step in which more are looked for. */
const expectedFor = 60_000;
/** Milliseconds after an urgent step in which others are held back. */
const hurriedFor = 2_000;

/** Knows whether urgent steps come at all: where none do, nothing is spent on them. */
function urgentSteps(clock: Pick<Clock, "now">) {
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    /** An urgent step was claimed, or is in flight. */
    saw: (): void => {
      lastAt = clock.now();
    },
    /** Whether to look for urgent steps by themselves. */
    areExpected: (): boolean => clock.now() - lastAt < expectedFor,
    /** Whether others have to leave room for them. */
    areUnderWay: (): boolean => clock.now() - lastAt < hurriedFor,
  };
}
