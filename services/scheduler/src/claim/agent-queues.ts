import { agentQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock } from "@holdfast/runtime";
import { delayedDestinations } from "../outbox/delayed-destinations.ts";

/** What the broker says of an Agent's queue: how many messages wait in it, and how many consumers it has. */
export interface InspectedQueue {
  readonly messages: number;
  readonly consumers: number;
}

interface Dependencies {
  readonly broker: Pick<Broker, "declareAgent" | "inspect">;
  readonly clock: Pick<Clock, "now">;
}

interface Inspecting {
  /** Whether an Agent's heartbeats are known. */
  readonly isHeard: (lane: string) => boolean;
  /** Whether the broker answers. False: it does not, which says nothing about a queue. */
  readonly answers: boolean;
}

/** A queue that is missing, or has not been inspected yet. */
const unknown: InspectedQueue = { messages: 0, consumers: 0 };
/** Milliseconds that the first heartbeat of an instance may take after its consumer. */
const heartbeatWithin = 1_000;
/** Milliseconds until a missing queue is inspected again, at most: it costs a channel, and an error in the broker's log. */
const longestDelay = 15_000;

/**
 * The queues of Agents as they were last inspected. One that is missing is inspected less and less often, until its
 * Agent sends heartbeats: of retired workflows it may be missing for ever. An Agent that has just come counts as
 * absent until its slots are known, or until it is clear that it sends no heartbeats: otherwise it would get a whole
 * window at once.
 */
export function agentQueues({ broker, clock }: Dependencies) {
  const missing = delayedDestinations(clock, longestDelay);
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

  const inspectOne = async (
    lane: string,
    { isDelayed, answers }: { readonly isDelayed: boolean; readonly answers: boolean },
  ): Promise<InspectedQueue | null> => {
    if (isDelayed) return null;
    const found = await broker.inspect(agentQueue(lane));
    if (found !== null) missing.succeeded(lane);
    if (found !== null || !answers) return found;
    // A workflow names an Agent that is new: it may be one that only consumes its queue.
    if (!(await broker.declareAgent(lane))) missing.failed(lane);
    return null;
  };

  return {
    of: (lane: string): InspectedQueue => known.get(lane) ?? unknown,
    /** `apply` takes over what was found. */
    async inspect(lanes: readonly string[], { isHeard, answers }: Inspecting) {
      const delayed = new Set(missing.names());
      const found = await Promise.all(
        lanes.map((lane) =>
          inspectOne(lane, { isDelayed: delayed.has(lane) && !isHeard(lane), answers }),
        ),
      );
      return {
        apply(): void {
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
