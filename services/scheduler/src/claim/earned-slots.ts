import type { Clock } from "@holdfast/runtime";

interface Earned {
  slots: number;
  /** When a step of the lane was last settled. */
  at: number;
}

/** Milliseconds. A lane that settled nothing for so long begins anew. */
const forgottenAfter = 60_000;
/** A queue in which so much of what is in flight waits has had enough. */
const waitingShare = 0.5;

/**
 * How many steps of each lane this Scheduler may have in flight beyond what its Agent's trusted slots allow. A lane
 * earns one with each step that it settles while most of what is in flight is in the hands of instances. So the
 * limit of an Agent with many slots doubles with each of its calls, and an instance that advertises slots that it
 * has not got keeps those that are trusted.
 */
export function earnedSlots(clock: Pick<Clock, "now">) {
  const earned = new Map<string, Earned>();
  const of = (lane: string): number => {
    const known = earned.get(lane);
    if (known === undefined) return 0;
    if (clock.now() - known.at <= forgottenAfter) return known.slots;
    earned.delete(lane);
    return 0;
  };
  return {
    of,
    /** A step of the lane was settled while so many were in flight, and so many of them waited in the queue. */
    settled(lane: string, load: { readonly waiting: number; readonly inFlight: number }): void {
      const isTaken = load.waiting <= load.inFlight * waitingShare;
      earned.set(lane, { slots: of(lane) + (isTaken ? 1 : 0), at: clock.now() });
    },
    /** A step of a lane that needs no more was settled. */
    kept(lane: string): void {
      const known = earned.get(lane);
      if (known !== undefined) known.at = clock.now();
    },
  };
}
