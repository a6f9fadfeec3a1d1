import { replyQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { LaneCapacity, StateStore } from "@holdfast/state-store";
import { agentQueues } from "./agent-queues.ts";
import { inFlightCounts } from "./in-flight-counts.ts";
import { laneCapacities } from "./lane-capacities.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "findAgentSlots" | "countStepsInFlight">;
  readonly broker: Pick<Broker, "inspect">;
  /** How many steps of one lane each Scheduler may have in flight, whatever its Agent advertises. */
  readonly maxInFlight: number;
  /** Which of them are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  /** Ends counting. */
  readonly signal: AbortSignal;
  /** Called when a lane without slots gets some. */
  readonly onCapacity: () => void;
}

/** Milliseconds after which the list of lanes, and the consumers of their queues, are read again. */
const refreshEvery = 1_000;
/** Milliseconds after which the slots that Agents advertise are read again: while they work, and otherwise. */
const slotsEvery = { busy: 500, idle: 1_000 };

/** By lane: the slots of each living instance. */
type AdvertisedSlots = ReadonlyMap<string, readonly number[]>;

/**
 * How many more steps of each lane may be claimed. The backlog waits in the state store, where it can be
 * reordered, paused and cancelled, so queues are kept short: an Agent is asked for twice as much as its instances
 * have slots. How many Schedulers there are shows at the queue that they all consume.
 */
export function inFlightLimits(deps: Dependencies) {
  const { store, broker, clock, log, onCapacity } = deps;
  let lanes: readonly string[] = [];
  let advertised: AdvertisedSlots = new Map();
  let schedulers = 1;
  let [lanesStaleAt, consumersStaleAt] = [0, 0];

  const capacities = laneCapacities(deps);
  const queues = agentQueues(deps);
  const stateOf = (lane: string) => ({
    ...counts.of(lane),
    queue: queues.of(lane),
    advertised: advertised.get(lane) ?? [],
    schedulers,
  });
  const capacityOf = (lane: string, freed = 0): LaneCapacity & { readonly most: number } =>
    capacities.of(lane, { ...stateOf(lane), freed });

  const lanesWithSlots = () => new Set(lanes.filter((lane) => capacityOf(lane).slots > 0));

  const replace = (change: () => void): void => {
    const known = lanesWithSlots();
    change();
    if ([...lanesWithSlots()].some((lane) => !known.has(lane))) onCapacity();
  };

  const refreshSlots = async (): Promise<void> => {
    const found = new Map((await store.findAgentSlots()).map(({ lane, slots }) => [lane, slots]));
    // An instance that joins or leaves shows at the queue, too; only both together say what may be asked for.
    if (instancesChanged(advertised, found)) consumersStaleAt = 0;
    replace(() => void (advertised = found));
  };

  const refreshStale = async (): Promise<void> => {
    // A Scheduler may have started before the first workflow was registered.
    const knowsNone = lanes.length === 0;
    if (knowsNone) await refreshSlots();
    const now = clock.now();
    if (now >= lanesStaleAt || knowsNone) {
      lanesStaleAt = now + refreshEvery;
      const found = await store.findLanes();
      replace(() => void (lanes = found));
    }
    if (clock.now() >= consumersStaleAt || knowsNone) {
      consumersStaleAt = clock.now() + refreshEvery;
      schedulers = Math.max(1, (await broker.inspect(replyQueue))?.consumers ?? 1);
      const inspected = await queues.inspect(lanes);
      replace(() => inspected.apply((lane) => advertised.has(lane)));
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
    /** Reads the slots that Agents advertise. Resolves to the delay until the next time, in milliseconds. */
    async round(): Promise<number> {
      await refreshSlots();
      const isBusy = lanes.some((lane) => counts.of(lane).inFlight > 0);
      if (lanes.length > 0 && (isBusy || consumersStaleAt === 0)) await refreshStale();
      return isBusy ? slotsEvery.busy : slotsEvery.idle;
    },
    /** What may be claimed once `freed` lanes have one step less in flight each. */
    capacity: (freed: readonly string[]): readonly LaneCapacity[] =>
      lanes
        .map((lane) => capacityOf(lane, freed.filter((agent) => agent === lane).length))
        .filter(({ most }) => most > 0),
    /** `since`: on our clock, when the claim began. */
    claimed: (lane: string, since: number): void => counts.claimed(lane, since),
    settled(lane: string): void {
      capacities.settled(lane, stateOf(lane));
      counts.settled(lane);
    },
  };
}

export type InFlightLimits = ReturnType<typeof inFlightLimits>;

function instancesChanged(before: AdvertisedSlots, after: AdvertisedSlots): boolean {
  const count = (slots: AdvertisedSlots, lane: string) => slots.get(lane)?.length ?? 0;
  return [...before.keys(), ...after.keys()].some(
    (lane) => count(before, lane) !== count(after, lane),
  );
}
