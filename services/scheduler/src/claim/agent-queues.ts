import { agentQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";

/** What the broker says of an Agent's queue: how many messages wait in it, and how many consumers it has. */
export interface InspectedQueue {
  readonly messages: number;
  readonly consumers: number;
}

interface Dependencies {
  readonly broker: Pick<Broker, "inspect">;
  readonly clock: Pick<Clock, "now">;
}

/** A queue that is missing, or has not been inspected yet. */
const unknown: InspectedQueue = { messages: 0, consumers: 0 };
/** Milliseconds that the first heartbeat of an instance may take after its consumer. */
const heartbeatWithin = 1_000;

/**
 * The queues of Agents as they were last inspected. An Agent that has just come counts as absent until its slots are
 * known, or until it is clear that it sends no heartbeats: otherwise it would get a whole window at once.
 */
export function agentQueues({ broker, clock }: Dependencies) {
  let known: ReadonlyMap<string, InspectedQueue> = new Map();
  /** Agents that have come: since when they have a consumer. */
  const arrivals = new Map<string, number>();

  const isArriving = (lane: string, { consumers }: InspectedQueue, isHeard: boolean): boolean => {
    const wasAbsent = known.get(lane)?.consumers === 0;
    if (consumers === 0 || isHeard || !wasAbsent) return false;
    const since = arrivals.get(lane) ?? clock.now();
    arrivals.set(lane, since);
    return clock.now() - since < heartbeatWithin;
  };

  return {
    of: (lane: string): InspectedQueue => known.get(lane) ?? unknown,
    /** `apply` takes over what was found; `isHeard`: whether an Agent's heartbeats are known. */
    async inspect(lanes: readonly string[]) {
      const found = await Promise.all(lanes.map((lane) => broker.inspect(agentQueue(lane))));
      return {
        apply(isHeard: (lane: string) => boolean): void {
          const next = new Map<string, InspectedQueue>();
          for (const [index, lane] of lanes.entries()) {
            const queue = found[index] ?? unknown;
            const isAbsent = isArriving(lane, queue, isHeard(lane));
            if (!isAbsent) arrivals.delete(lane);
            next.set(lane, isAbsent ? { ...queue, consumers: 0 } : queue);
          }
          known = next;
        },
      };
    },
  };
}
