import { type LaneLimit, laneLimit } from "@holdfast/domain";
import type { Clock } from "@holdfast/runtime";
import type { InspectedQueue } from "./agent-queues.ts";
import { earnedSlots } from "./earned-slots.ts";

interface LaneState {
  /** Steps in flight: of all Schedulers, and of this one. */
  readonly inFlight: number;
  readonly own: number;
  /** Settled steps that may have been taken off twice. */
  readonly uncertain: number;
  readonly queue: InspectedQueue;
  readonly advertised: readonly number[];
  /** How many of these slots are taken. */
  readonly busy: number;
  readonly schedulers: number;
}

interface Dependencies {
  readonly clock: Pick<Clock, "now">;
  readonly maxInFlight: number;
  /** Whether steps that are not urgent have to leave room for others. */
  readonly isHurried: () => boolean;
  /** What is left of a limit while the remote service of the Agent is in trouble. */
  readonly limitOf: (agent: string, max: number) => number;
}

/**
 * The part of a limit by slots that is kept free for steps that may have been taken off twice, and the least number
 * of steps.
 */
const uncertainShare = 1 / 3;
const uncertainLeast = 3;

/** How many more steps of an Agent may be claimed. */
export interface AgentRoom {
  readonly slots: number;
  /** How many, if the same transaction makes as many due. */
  readonly most: number;
  /** How many urgent ones. */
  readonly urgent: number;
}

/** The part beyond a limit that is for urgent steps: they need not wait until a slot is free to be on their way. */
const urgentShare = 0.1;

/** How many steps of an Agent may be claimed by what is known of it, and what it earns with each settled step. */
export function laneCapacities({ clock, maxInFlight, isHurried, limitOf: leftOf }: Dependencies) {
  const earned = earnedSlots(clock);

  const limitOf = (agent: string, { queue, advertised, schedulers }: LaneState): LaneLimit => {
    const limit = laneLimit({
      window: maxInFlight,
      schedulers,
      consumers: queue.consumers,
      advertised,
      earned: earned.of(agent),
    });
    return atMost(leftOf(agent, Number.POSITIVE_INFINITY), limit, schedulers);
  };

  return {
    /** How many steps of an Agent may be in flight, of all Schedulers together. */
    limit: (agent: string, state: LaneState): number => limitOf(agent, state).all,
    /**
     * A Scheduler has slots up to its share, and no more than all Schedulers have free, because one of them may
     * have died. Of several, each may use some more for steps that its own transaction makes due, so that no
     * other Scheduler claims them.
     */
    of(agent: string, state: LaneState & { readonly freed: number }): AgentRoom {
      const { inFlight, own, freed, uncertain, schedulers } = state;
      const limit = limitOf(agent, state);
      // More may have been freed than was counted.
      if (limit.all === 0) return { slots: 0, most: 0, urgent: 0 };
      const isBySlots = limit.all < maxInFlight * schedulers;
      const kept = isBySlots ? Math.min(uncertain, mostUncertain(limit.all)) : 0;
      const room = (all: number, ours: number): number =>
        Math.min(all - inFlight, ours - own) + freed - kept;
      const urgent = room(limit.allDue, limit.ownDue) + Math.ceil(limit.all * urgentShare);
      const usual = isHurried() ? atMost(hurried(state), limit, schedulers) : limit;
      const slots = Math.max(0, room(usual.all, usual.own));
      return { slots, most: room(usual.allDue, usual.ownDue), urgent };
    },
    /** One of its steps was settled. */
    settled(agent: string, state: LaneState): void {
      const { queue, inFlight } = state;
      if (limitOf(agent, state).unearned === 0) return earned.kept(agent);
      earned.settled(agent, { waiting: queue.messages, inFlight });
    },
  };
}

/**
 * The other steps that may be in flight while urgent ones come: what the Agent is working at, as much again, and some
 * on their way. An Agent with long calls keeps all of its slots busy by that. Of one that answers at once more would
 * only wait, in queues and for the processor, and urgent steps with it.
 */
const hurried = ({ busy, advertised }: LaneState): number =>
  advertised.length === 0 ? Number.POSITIVE_INFINITY : onTheirWay + 2 * busy;
const onTheirWay = 25;

const mostUncertain = (limit: number): number =>
  Math.max(uncertainLeast, Math.ceil(limit * uncertainShare));

/** A limit of which no more is left, for all Schedulers together. */
function atMost(left: number, limit: LaneLimit, schedulers: number): LaneLimit {
  const share = Math.ceil(left / schedulers);
  return {
    ...limit,
    all: Math.min(limit.all, left),
    allDue: Math.min(limit.allDue, left),
    own: Math.min(limit.own, share),
    ownDue: Math.min(limit.ownDue, share),
  };
}
