import { agentQueue, replyQueue } from "@holdfast/contracts";
import { agentsOfLane } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Observer } from "../observer.ts";
import { delayedNames } from "../outbox/delayed-destinations.ts";
import { areQueuesOutdated, type FoundQueue, isBusy, isDue } from "../state/admission.ts";
import { nextWake } from "../state/scheduler-state.ts";

interface FleetDependencies extends Observer {
  readonly store: Pick<
    SchedulerStore,
    "countStepsInFlight" | "findAgentSlots" | "findLanes" | "findUnavailableAgents"
  >;
  readonly broker: Pick<Broker, "declareAgent" | "inspect">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn">;
  /** Which of the steps in flight are ours. */
  readonly actor: string;
}

/**
 * Reads what a Scheduler must know of lanes, Agents and the steps that are in flight, before it
 * claims.
 */
export function fleetReader(deps: FleetDependencies) {
  const { state, clock, log } = deps;
  const { admission } = state;
  const isKnown = (): boolean => admission.lanes.length > 0;

  const refreshStale = async (): Promise<void> => {
    // A Scheduler may have started before the first workflow was registered.
    const knowsNone = !isKnown();
    if (knowsNone) await readSlots(deps);
    if (knowsNone || isDue(admission, "lanes", clock.now())) await readLanes(deps);
    if (knowsNone || isDue(admission, "queues", clock.now())) await inspectQueues(deps);
    if (isKnown() && isDue(admission, "counts", clock.now())) await count(deps);
  };
  const refreshInBackground = (): Promise<void> =>
    refreshStale().catch((err: unknown) => log.warn({ err }, "in-flight limits not refreshed"));

  return {
    /** Refreshes what is stale, and waits for that only while no lane is known. */
    async refresh(): Promise<void> {
      if (isKnown()) void refreshInBackground();
      else await refreshStale();
    },
    /**
     * Reads the slots that Agents advertise. Resolves to the delay until the next time, in
     * milliseconds.
     */
    async slotsRound(): Promise<number> {
      await readSlots(deps);
      const delay = nextWake(state, "slots", clock.now());
      const isStale = isBusy(admission) || areQueuesOutdated(admission);
      if (admission.named.length > 0 && isStale) await refreshStale();
      return delay;
    },
    /** Counts again where the last count may have had a step twice. */
    async countRound(): Promise<number> {
      if (admission.count.isDoubtful) await refreshInBackground();
      return nextWake(state, "count", clock.now());
    },
  };
}

async function readSlots({ see, store }: FleetDependencies): Promise<void> {
  see({ kind: "slots", found: await store.findAgentSlots() });
}

async function readLanes({ see, store }: FleetDependencies): Promise<void> {
  see({ kind: "reading", what: "lanes" });
  const lanes = await store.findLanes();
  // Pools alone need to know which Agents are unavailable.
  const hasPools = lanes.some((lane) => agentsOfLane(lane).length > 1);
  const unavailable = hasPools ? await store.findUnavailableAgents() : [];
  see({ kind: "lanes", lanes, unavailable });
}

async function inspectQueues({ state, see, broker, clock }: FleetDependencies): Promise<void> {
  const { admission } = state;
  see({ kind: "reading", what: "queues" });
  const replies = await broker.inspect(replyQueue);
  see({ kind: "schedulers", count: Math.max(1, replies?.consumers ?? 1) });
  const delayed = new Set(delayedNames(admission.missing, clock.now()));
  const inspecting = admission.named.map((agent) =>
    inspectQueue(broker, agent, {
      isDelayed: delayed.has(agent) && !admission.advertised.has(agent),
      answers: replies !== null,
    }),
  );
  see({ kind: "queues", found: await Promise.all(inspecting) });
}

async function count({ see, store, actor: lockedBy }: FleetDependencies): Promise<void> {
  see({ kind: "reading", what: "counts" });
  try {
    see({ kind: "counted", counts: await store.countStepsInFlight({ lockedBy }) });
  } catch (error) {
    see({ kind: "counted", counts: null });
    throw error;
  }
}

export type FleetReader = ReturnType<typeof fleetReader>;

interface Inspecting {
  readonly isDelayed: boolean;
  /** Whether the broker answers. False: it does not, which says nothing about a queue. */
  readonly answers: boolean;
}

/** Inspects the queue of an Agent, unless that is delayed because it was missing. */
async function inspectQueue(
  broker: FleetDependencies["broker"],
  agent: string,
  { isDelayed, answers }: Inspecting,
): Promise<FoundQueue> {
  if (isDelayed) return { agent, queue: null, isRefused: false };
  const queue = await broker.inspect(agentQueue(agent));
  if (queue !== null || !answers) return { agent, queue, isRefused: false };
  // A workflow names an Agent that is new: it may be one that only consumes its queue.
  return { agent, queue, isRefused: !(await broker.declareAgent(agent)) };
}
