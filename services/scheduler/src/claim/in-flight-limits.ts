import { agentQueue, replyQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { LaneCapacity, StateStore } from "@holdfast/state-store";
import { inFlightCounts } from "./in-flight-counts.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "countStepsInFlight">;
  readonly broker: Pick<Broker, "inspect">;
  /** How many steps of one lane each Scheduler may have in flight. */
  readonly maxInFlight: number;
  /** What is left of a limit while the remote service of the lane is in trouble. */
  readonly limitOf: (lane: string, max: number) => number;
  /** Which of them are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  /** Ends counting. */
  readonly signal: AbortSignal;
  /** Called when a lane without slots gets some. */
  readonly onCapacity: () => void;
}

/** Without consumers one request goes out, to find out when there are some again. */
const probe = 1;
/** Milliseconds after which the list of lanes, and the consumers of their queues, are read again. */
const refreshEvery = 1_000;

/**
 * How many more steps of each lane may be claimed. The backlog waits in the state store, where it can be
 * reordered, paused and cancelled, so queues are kept short. How many Schedulers there are shows at the queue
 * that they all consume.
 */
export function inFlightLimits(deps: Dependencies) {
  const { store, broker, maxInFlight, limitOf, clock, log, onCapacity } = deps;
  let lanes: readonly string[] = [];
  let maxima: ReadonlyMap<string, number> = new Map();
  let schedulers = 1;
  let [lanesStaleAt, consumersStaleAt] = [0, 0];

  const capacityOf = (lane: string, freed = 0): LaneCapacity =>
    laneCapacity(lane, {
      ...counts.of(lane),
      max: limitOf(lane, maxima.get(lane) ?? probe),
      schedulers,
      freed,
    });

  const lanesWithSlots = () => new Set(lanes.filter((lane) => capacityOf(lane).slots > 0));

  const replace = (change: () => void): void => {
    const known = lanesWithSlots();
    change();
    if ([...lanesWithSlots()].some((lane) => !known.has(lane))) onCapacity();
  };

  const refreshStale = async (): Promise<void> => {
    // A Scheduler may have started before the first workflow was registered.
    const knowsNone = lanes.length === 0;
    const now = clock.now();
    if (now >= lanesStaleAt || knowsNone) {
      lanesStaleAt = now + refreshEvery;
      const found = await store.findLanes();
      replace(() => void (lanes = found));
    }
    if (clock.now() >= consumersStaleAt || knowsNone) {
      consumersStaleAt = clock.now() + refreshEvery;
      schedulers = Math.max(1, (await broker.inspect(replyQueue))?.consumers ?? 1);
      const inspected = await maximaOf(lanes, { broker, max: maxInFlight * schedulers });
      replace(() => void (maxima = inspected));
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
    /** What may be claimed once `freed` lanes have one step less in flight each. */
    capacity: (freed: readonly string[]): readonly LaneCapacity[] =>
      lanes
        .map((lane) => capacityOf(lane, freed.filter((agent) => agent === lane).length))
        .filter(({ most = 0 }) => most > 0),
    /** `since`: on our clock, when the claim began. */
    claimed: (lane: string, since: number): void => counts.claimed(lane, since),
    settled: counts.settled,
    /** The lanes of all workflows. */
    lanes: (): readonly string[] => lanes,
  };
}

export type InFlightLimits = ReturnType<typeof inFlightLimits>;

interface LaneLoad {
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
function laneCapacity(
  lane: string,
  { inFlight, own, max, schedulers, freed }: LaneLoad,
): LaneCapacity & { readonly most: number } {
  // More may have been freed than was counted.
  if (max === 0) return { lane, slots: 0, most: 0 };
  const free = max + freed - inFlight;
  const ours = Math.ceil(max / schedulers) + freed - own;
  const slots = Math.max(0, Math.min(free, ours));
  return { lane, slots, most: free + (schedulers > 1 ? max : 0) };
}

async function maximaOf(
  lanes: readonly string[],
  { broker, max }: { readonly broker: Pick<Broker, "inspect">; readonly max: number },
): Promise<ReadonlyMap<string, number>> {
  const queues = await Promise.all(lanes.map((lane) => broker.inspect(agentQueue(lane))));
  return new Map(
    lanes.map((lane, index) => [lane, (queues[index]?.consumers ?? 0) > 0 ? max : probe]),
  );
}
