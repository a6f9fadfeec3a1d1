import { agentQueue, replyQueue } from "@holdfast/contracts";
import { agentsOfLane } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";
import { type ChosenCapacity, memberChooser } from "./choose-member.ts";
import { inFlightCounts } from "./in-flight-counts.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "findUnavailableAgents" | "countStepsInFlight">;
  readonly broker: Pick<Broker, "inspect">;
  /** How many steps of one Agent each Scheduler may have in flight. */
  readonly maxInFlight: number;
  /** Which of them are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  /** Ends counting. */
  readonly signal: AbortSignal;
  /** Called when an Agent without slots gets some. */
  readonly onCapacity: () => void;
}

/** Without consumers one request goes out, to find out when there are some again. */
const probe = 1;
/** Milliseconds after which the list of lanes, and the consumers of their queues, are read again. */
const refreshEvery = 1_000;

/**
 * How many more steps of each lane may be claimed, and for which Agent of a pool. The backlog waits in the state store, where it can be
 * reordered, paused and cancelled, so queues are kept short. How many Schedulers there are shows at the queue
 * that they all consume.
 */
export function inFlightLimits(deps: Dependencies) {
  const { store, broker, maxInFlight, clock, log, onCapacity } = deps;
  let lanes: readonly string[] = [];
  let agents: readonly string[] = [];
  let unavailable: ReadonlySet<string> = new Set();
  let maxima: ReadonlyMap<string, number> = new Map();
  let served: ReadonlySet<string> = new Set();
  const choose = memberChooser();
  let schedulers = 1;
  let [lanesStaleAt, consumersStaleAt] = [0, 0];

  const capacityOf = (agent: string, freed = 0) =>
    agentCapacity({ ...counts.of(agent), max: maxima.get(agent) ?? probe, schedulers, freed });

  const agentsWithSlots = () => new Set(agents.filter((agent) => capacityOf(agent).slots > 0));

  const replace = (change: () => void): void => {
    const known = agentsWithSlots();
    change();
    if ([...agentsWithSlots()].some((agent) => !known.has(agent))) onCapacity();
  };

  const refreshStale = async (): Promise<void> => {
    // A Scheduler may have started before the first workflow was registered.
    const knowsNone = lanes.length === 0;
    const now = clock.now();
    if (now >= lanesStaleAt || knowsNone) {
      lanesStaleAt = now + refreshEvery;
      const found = await store.findLanes();
      replace(() => {
        lanes = found;
        agents = [...new Set(found.flatMap(agentsOfLane))];
      });
      const hasPools = agents.length < lanes.length;
      unavailable = new Set(hasPools ? await store.findUnavailableAgents() : []);
    }
    if (clock.now() >= consumersStaleAt || knowsNone) {
      consumersStaleAt = clock.now() + refreshEvery;
      schedulers = Math.max(1, (await broker.inspect(replyQueue))?.consumers ?? 1);
      const consumed = await consumedAgents(agents, broker);
      replace(() => {
        served = consumed;
        const max = maxInFlight * schedulers;
        maxima = new Map(agents.map((agent) => [agent, served.has(agent) ? max : probe]));
      });
    }
    if (counts.areStale() && lanes.length > 0) await counts.count({ schedulers });
  };

  const refreshInBackground = (): Promise<void> =>
    refreshStale().catch((err: unknown) => log.warn({ err }, "in-flight limits not refreshed"));

  const counts = inFlightCounts({ ...deps, replace, refresh: refreshInBackground });

  return {
    /** Refreshes what is stale, and waits for that only while no lane is known. */
    async refresh(): Promise<void> {
      if (lanes.length === 0) await refreshStale();
      else void refreshInBackground();
    },
    /** What may be claimed once the Agents `freed` have one step less in flight each. */
    capacity: (freed: readonly string[]): readonly ChosenCapacity[] =>
      choose(lanes, {
        capacityOf: (agent) => ({
          ...capacityOf(agent, freed.filter((one) => one === agent).length),
          isServed: served.has(agent),
        }),
        unavailable,
      }).filter(({ most }) => most > 0),
    /** `since`: on our clock, when the claim began. */
    claimed: (agent: string, since: number): void => counts.claimed(agent, since),
    settled: counts.settled,
  };
}

export type InFlightLimits = ReturnType<typeof inFlightLimits>;

interface AgentLoad {
  readonly inFlight: number;
  readonly own: number;
  /** Steps that all Schedulers together may have in flight. */
  readonly max: number;
  readonly schedulers: number;
  readonly freed: number;
}

/**
 * A Scheduler has slots up to its share, and no more than all Schedulers have free, because one of them may have
 * died. Of several, each may use as many slots again for steps that its own transaction makes due, so that no
 * other Scheduler claims them.
 */
function agentCapacity({ inFlight, own, max, schedulers, freed }: AgentLoad) {
  const free = max + freed - inFlight;
  const ours = Math.ceil(max / schedulers) + freed - own;
  const slots = Math.max(0, Math.min(free, ours));
  return { slots, most: free + (schedulers > 1 ? max : 0) };
}

/** Those of which an instance consumes the queue. */
async function consumedAgents(
  agents: readonly string[],
  broker: Pick<Broker, "inspect">,
): Promise<ReadonlySet<string>> {
  const queues = await Promise.all(agents.map((agent) => broker.inspect(agentQueue(agent))));
  return new Set(agents.filter((_, index) => (queues[index]?.consumers ?? 0) > 0));
}
