import { replyQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";
import { agentDirectory } from "./agent-directory.ts";
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
 * How many more steps of each lane may be claimed, and for which Agent of a pool. The backlog waits in the state
 * store, where it can be reordered, paused and cancelled, so queues are kept short. How many Schedulers there are
 * shows at the queue that they all consume.
 */
export function inFlightLimits(deps: Dependencies) {
  const { broker, maxInFlight, clock, log, onCapacity } = deps;
  const directory = agentDirectory(deps);
  const choose = memberChooser();
  let schedulers = 1;
  let [lanesStaleAt, consumersStaleAt] = [0, 0];

  const maxOf = (agent: string): number =>
    directory.isServed(agent) ? maxInFlight * schedulers : probe;
  const capacityOf = (agent: string, freed = 0) =>
    agentCapacity({ ...counts.of(agent), max: maxOf(agent), schedulers, freed });

  const hasSlots = (agent: string): boolean => capacityOf(agent).slots > 0;
  const replace = noticing(() => directory.agents().filter(hasSlots), onCapacity);

  const refreshStale = async (): Promise<void> => {
    // A Scheduler may have started before the first workflow was registered.
    const knowsNone = directory.lanes().length === 0;
    const now = clock.now();
    if (now >= lanesStaleAt || knowsNone) {
      lanesStaleAt = now + refreshEvery;
      replace(await directory.findLanes());
    }
    if (clock.now() >= consumersStaleAt || knowsNone) {
      consumersStaleAt = clock.now() + refreshEvery;
      const replies = await broker.inspect(replyQueue);
      const apply = await directory.findConsumers();
      replace(() => {
        schedulers = Math.max(1, replies?.consumers ?? 1);
        apply();
      });
    }
    if (counts.areStale() && directory.lanes().length > 0) await counts.count({ schedulers });
  };

  const refreshInBackground = (): Promise<void> =>
    refreshStale().catch((err: unknown) => log.warn({ err }, "in-flight limits not refreshed"));

  const counts = inFlightCounts({ ...deps, replace, refresh: refreshInBackground });

  return {
    /** Refreshes what is stale, and waits for that only while no lane is known. */
    async refresh(): Promise<void> {
      if (directory.lanes().length === 0) await refreshStale();
      else void refreshInBackground();
    },
    /** What may be claimed once the Agents `freed` have one step less in flight each. */
    capacity: (freed: readonly string[]): readonly ChosenCapacity[] =>
      choose(directory.lanes(), {
        capacityOf: (agent) => ({
          ...capacityOf(agent, freed.filter((one) => one === agent).length),
          isServed: directory.isServed(agent),
        }),
        unavailable: directory.unavailable(),
      }).filter(({ most }) => most > 0),
    /** `since`: on our clock, when the claim began. */
    claimed: (agent: string, since: number): void => counts.claimed(agent, since),
    settled: counts.settled,
  };
}

export type InFlightLimits = ReturnType<typeof inFlightLimits>;

/** Makes changes, and notices when an Agent without slots gets some by one. */
const noticing =
  (agentsWithSlots: () => readonly string[], onCapacity: () => void) =>
  (change: () => void): void => {
    const known = new Set(agentsWithSlots());
    change();
    if (agentsWithSlots().some((agent) => !known.has(agent))) onCapacity();
  };

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
