import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { LaneCapacity, StateStore } from "@holdfast/state-store";
import { inFlightCounts } from "./in-flight-counts.ts";
import { laneCapacities } from "./lane-capacities.ts";
import { laneFacts } from "./lane-facts.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "findAgentSlots" | "countStepsInFlight">;
  readonly broker: Pick<Broker, "inspect">;
  /** How many steps of one lane each Scheduler may have in flight, whatever its Agent advertises. */
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

/** Milliseconds after which the slots that Agents advertise are read again: while they work, and otherwise. */
const slotsEvery = { busy: 500, idle: 1_000 };

/**
 * How many more steps of each lane may be claimed. The backlog waits in the state store, where it can be
 * reordered, paused and cancelled, so queues are kept short: an Agent is asked for twice as much as its instances
 * have slots.
 */
export function inFlightLimits(deps: Dependencies) {
  const { log, onCapacity } = deps;

  const stateOf = (lane: string) => ({ ...counts.of(lane), ...facts.of(lane) });
  const capacityOf = (lane: string, freed = 0): LaneCapacity & { readonly most: number } =>
    capacities.of(lane, { ...stateOf(lane), freed });

  const lanesWithSlots = () => new Set(facts.lanes().filter((lane) => capacityOf(lane).slots > 0));

  const replace = (change: () => void): void => {
    const known = lanesWithSlots();
    change();
    if ([...lanesWithSlots()].some((lane) => !known.has(lane))) onCapacity();
  };

  const refreshStale = async (): Promise<void> => {
    await facts.refreshStale();
    if (!counts.areStale() || facts.lanes().length === 0) return;
    await counts.count({ schedulers: facts.schedulers() });
  };

  const refreshInBackground = (): Promise<void> =>
    refreshStale().catch((err: unknown) => log.warn({ err }, "in-flight limits not refreshed"));

  const capacities = laneCapacities(deps);
  const facts = laneFacts({ ...deps, replace });
  const counts = inFlightCounts({ ...deps, replace, refresh: refreshInBackground });

  return {
    /** Refreshes what is stale, and waits for that only while no lane is known. */
    async refresh(): Promise<void> {
      if (facts.lanes().length === 0) await refreshStale();
      else void refreshInBackground();
    },
    /** Reads the slots that Agents advertise. Resolves to the delay until the next time, in milliseconds. */
    async round(): Promise<number> {
      await facts.refreshSlots();
      const lanes = facts.lanes();
      const isBusy = lanes.some((lane) => counts.of(lane).inFlight > 0);
      if (lanes.length > 0 && (isBusy || facts.areQueuesOutdated())) await refreshStale();
      return isBusy ? slotsEvery.busy : slotsEvery.idle;
    },
    /** What may be claimed once `freed` lanes have one step less in flight each. */
    capacity: (freed: readonly string[]): readonly LaneCapacity[] =>
      facts
        .lanes()
        .map((lane) => capacityOf(lane, freed.filter((agent) => agent === lane).length))
        .filter(({ most }) => most > 0),
    /** `since`: on our clock, when the claim began. */
    claimed: (lane: string, since: number): void => counts.claimed(lane, since),
    /** The lanes of all workflows. */
    lanes: (): readonly string[] => facts.lanes(),
    settled(lane: string): void {
      capacities.settled(lane, stateOf(lane));
      counts.settled(lane);
    },
  };
}

export type InFlightLimits = ReturnType<typeof inFlightLimits>;
