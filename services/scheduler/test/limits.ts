import type { Logger } from "@holdfast/runtime";
import { inFlightLimits } from "../src/claim/in-flight-limits.ts";
import { testClock } from "./clock.ts";

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
  /** What a breaker leaves of the limit. */
  readonly limitOf?: (lane: string, max: number) => number;
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
  const { inFlight = 0, own = inFlight, count = async () => inFlight } = world;
  const {
    clock = testClock(),
    schedulers = 1,
    maxInFlight = 10,
    lanes = () => ["payments"],
  } = world;
  let isFirst = true;
  const limits = inFlightLimits({
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
    maxInFlight,
    limitOf: world.limitOf ?? ((_, max) => max),
    lockedBy: "scheduler-1",
    clock,
    log: { warn: () => {} } as Partial<Logger> as Logger,
    signal: new AbortController().signal,
    onCapacity: () => isFirst || world.onCapacity?.(),
  });
  await limits.refresh();
  isFirst = false;
  return limits;
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
