import { replyQueue } from "@holdfast/contracts";
import { agentsOfLane } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";
import type { LaneSlots, SchedulerStore } from "@holdfast/state-store";
import { agentQueues } from "./agent-queues.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "findLanes" | "findAgentSlots" | "findUnavailableAgents">;
  readonly broker: Pick<Broker, "declareAgent" | "inspect">;
  readonly clock: Pick<Clock, "now">;
  /** Applies new facts, and notices which lanes have slots by them. */
  readonly replace: (change: () => void) => void;
}

/** The slots of each living instance, and how many of all are taken, by Agent. */
type AdvertisedSlots = ReadonlyMap<string, Pick<LaneSlots, "slots" | "busy">>;

/** Milliseconds after which the list of lanes, and the consumers of their queues, are read again. */
const refreshEvery = 1_000;

/**
 * Which lanes there are, who consumes the queues of their Agents, and which slots these advertise. How many Schedulers there
 * are shows at the queue that they all consume.
 */
export function laneFacts({ store, broker, clock, replace }: Dependencies) {
  const queues = agentQueues({ broker, clock });
  let { lanes, agents, unavailable }: FoundLanes = nothingFound;
  let advertised: AdvertisedSlots = new Map();
  let schedulers = 1;
  let [lanesStaleAt, consumersStaleAt] = [0, 0];

  const isHeard = (agent: string): boolean => advertised.has(agent);

  const refreshSlots = async (): Promise<void> => {
    const found = new Map((await store.findAgentSlots()).map((one) => [one.lane, one]));
    // An instance that joins or leaves shows at the queue, too; only both together say what may be asked for.
    if (instancesChanged(advertised, found)) consumersStaleAt = 0;
    replace(() => void (advertised = found));
  };

  const inspect = async (): Promise<void> => {
    consumersStaleAt = clock.now() + refreshEvery;
    const replies = await broker.inspect(replyQueue);
    schedulers = Math.max(1, replies?.consumers ?? 1);
    const inspected = await queues.inspect(agents, { isHeard, answers: replies !== null });
    replace(() => inspected.apply());
  };

  const findLanes = async (): Promise<void> => {
    const found = await readLanes(store);
    replace(() => void ({ lanes, agents, unavailable } = found));
  };

  return {
    lanes: () => lanes,
    agents: () => agents,
    /** Agents that should get no step of a pool that another Agent could have. */
    unavailable: () => unavailable,
    schedulers: () => schedulers,
    of: (agent: string) => ({
      queue: queues.of(agent),
      advertised: advertised.get(agent)?.slots ?? [],
      busy: advertised.get(agent)?.busy ?? 0,
      schedulers,
    }),
    refreshSlots,
    /** Whether an instance has joined or left since the queues were inspected. */
    areQueuesOutdated: (): boolean => consumersStaleAt === 0,
    async refreshStale(): Promise<void> {
      // A Scheduler may have started before the first workflow was registered.
      const knowsNone = lanes.length === 0;
      if (knowsNone) await refreshSlots();
      const now = clock.now();
      if (now >= lanesStaleAt || knowsNone) {
        lanesStaleAt = now + refreshEvery;
        await findLanes();
      }
      if (clock.now() >= consumersStaleAt || knowsNone) await inspect();
    },
  };
}

interface FoundLanes {
  readonly lanes: readonly string[];
  readonly agents: readonly string[];
  readonly unavailable: ReadonlySet<string>;
}

const nothingFound: FoundLanes = { lanes: [], agents: [], unavailable: new Set() };

/** Reads the lanes, and which Agents are unavailable where there are pools, which alone need to know. */
async function readLanes(
  store: Pick<SchedulerStore, "findLanes" | "findUnavailableAgents">,
): Promise<FoundLanes> {
  const lanes = await store.findLanes();
  const agents = [...new Set(lanes.flatMap(agentsOfLane))];
  const hasPools = agents.length < lanes.length;
  return {
    lanes,
    agents,
    unavailable: new Set(hasPools ? await store.findUnavailableAgents() : []),
  };
}

function instancesChanged(before: AdvertisedSlots, after: AdvertisedSlots): boolean {
  const count = (known: AdvertisedSlots, lane: string) => known.get(lane)?.slots.length ?? 0;
  return [...before.keys(), ...after.keys()].some(
    (lane) => count(before, lane) !== count(after, lane),
  );
}
