import type { Breaker } from "@holdfast/state-store";
import { fleetReader } from "../src/claim/read-fleet.ts";
import {
  allowances,
  areUrgentExpected,
  areUrgentUnderWay,
  offerAll,
  offerUrgent,
} from "../src/state/allowances.ts";
import { testClock } from "./clock.ts";
import { openState, replied } from "./state.ts";

/** What limits depend on. What is read again may change. */
export interface World {
  readonly count?: () => Promise<number>;
  readonly clock?: ReturnType<typeof testClock>;
  readonly inFlight?: number;
  readonly own?: number;
  /** Consumers of the Agents' queue; may change. */
  readonly consumers?: number;
  readonly schedulers?: number;
  readonly maxInFlight?: number;
  /** The breakers of remote services; none unless given. */
  readonly breakers?: readonly Breaker[];
  /** Called when a lane gets slots, after the first refresh. */
  readonly onCapacity?: () => void;
  readonly lanes?: () => readonly string[];
  /** Slots of the Agent's instances; may change. Null: they send no heartbeats. */
  readonly slots?: readonly number[] | null;
  /** How many of these slots are taken, and how many urgent steps are in flight; may change. */
  readonly busy?: number;
  readonly urgent?: number;
  /** Messages that wait in the Agent's queue. */
  readonly waiting?: number;
}

/** Limits over a world, refreshed once, for tests. */
export async function limitsOf(world: World) {
  const { clock = testClock(), maxInFlight = 10, breakers = [] } = world;
  let isFirst = true;
  const observed = openState({
    clock,
    maxInFlight,
    wake(loop) {
      if (loop === "claim" && !isFirst) world.onCapacity?.();
      if (loop === "count") void fleet.countRound();
    },
  });
  const { state, see } = observed;
  const { admission } = state;
  const fleet = fleetReader({ ...observed, ...serversOf(world), actor: "scheduler-1" });
  see({ kind: "breakers", found: breakers });
  await fleet.refresh();
  isFirst = false;
  const allowed = (freed: readonly string[]) =>
    allowances(state, admission.lanes, { now: clock.now(), freed });
  return {
    ...observed,
    fleet,
    refresh: () => fleet.refresh(),
    round: () => fleet.slotsRound(),
    capacity: (freed: readonly string[]) => offerAll(admission, allowed(freed)),
    urgentCapacity: (freed: readonly string[]) => offerUrgent(allowed(freed)),
    claimed: (agent: string, since: number, priority: "normal" | "urgent" = "normal"): void =>
      see({ kind: "claimed", claims: [{ agent, priority }], since }),
    settled: (agent: string, since: number): void =>
      see(replied(agent, { kind: "completed", step: "charge", attempt: 1, token: "t" }, { since })),
    areUrgentExpected: (): boolean => areUrgentExpected(admission, clock.now()),
    areUrgentUnderWay: (): boolean => areUrgentUnderWay(admission, clock.now()),
  };
}

/** The store and the broker of a world, as far as limits need them. */
function serversOf(
  world: World,
): Pick<Parameters<typeof fleetReader>[0], "store" | "broker" | "log"> {
  const { inFlight = 0, own = inFlight, count = async () => inFlight } = world;
  const { schedulers = 1, lanes = () => ["payments"] } = world;
  return {
    store: {
      findLanes: async () => [...lanes()],
      findUnavailableAgents: async () => [],
      findAgentSlots: async () => advertise(world),
      countStepsInFlight: async () => {
        const counted = await count();
        const { urgent = 0 } = world;
        return [{ lane: "payments", inFlight: counted, own: Math.min(own, counted), urgent }];
      },
    },
    broker: {
      declareAgent: async () => false,
      inspect: async (queue) => ({
        messages: queue === "agent.payments" ? (world.waiting ?? 0) : 0,
        consumers: queue === "agent.payments" ? (world.consumers ?? 1) : schedulers,
      }),
    },
    log: { warn: () => {} },
  };
}

const advertise = ({ slots = null, busy = 0 }: World) =>
  slots === null ? [] : [{ lane: "payments", slots, busy }];

/** How many steps of the first lane may be claimed. */
export const slots = (
  limits: Awaited<ReturnType<typeof limitsOf>>,
  freed: readonly string[] = [],
) => limits.capacity(freed)[0]?.slots ?? 0;

/** Resolves when all has been done that waits for nothing. */
export const settled = () => new Promise(setImmediate);
