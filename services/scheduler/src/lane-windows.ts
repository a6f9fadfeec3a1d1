import { agentQueue, replyQueue } from "@holdfast/contracts";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { Room, StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "findLanes" | "countStepsInFlight">;
  readonly broker: Pick<Broker, "inspect">;
  /** How many steps of one lane may be in flight for each Scheduler. */
  readonly window: number;
  /** Which of them are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

/** Without consumers one request goes out, to find out when there are some again. */
const probe = 1;
/** Milliseconds. All Schedulers together count that often, for each of them counts what all have in flight. */
const refreshEvery = { counts: 100, consumers: 1_000, lanes: 5_000 };
/** Counting takes a fifth of the time at most. */
const restFactor = 4;

/**
 * How many more steps of each lane may be claimed. The backlog waits in the state store, where it can
 * be reordered, paused and cancelled, so queues are kept short. Counts are read from the store every
 * 100 ms at most, less often when that takes long, and kept up in between; how many Schedulers there are
 * shows at the queue that they all consume.
 */
export function laneWindows({ store, broker, window, lockedBy, clock, log }: Dependencies) {
  let lanes: readonly string[] = [];
  let inFlight = new Map<string, number>();
  let own = new Map<string, number>();
  /** What has changed since the last count was begun. */
  let changes = new Map<string, number>();
  let windows = new Map<string, number>();
  let schedulers = 1;
  const stale = { counts: 0, consumers: 0, lanes: 0 };

  const isStale = (what: keyof typeof stale): boolean => {
    const now = clock.now();
    if (now < stale[what]) return false;
    stale[what] = now + refreshEvery[what];
    return true;
  };

  const add = (lane: string, steps: number): void => {
    change(inFlight, lane, steps);
    change(own, lane, steps);
    changes.set(lane, (changes.get(lane) ?? 0) + steps);
  };

  const count = async (): Promise<void> => {
    const from = clock.now();
    changes = new Map();
    // One at a time.
    stale.counts = Number.POSITIVE_INFINITY;
    let next = from + refreshEvery.counts * schedulers;
    try {
      const counts = await store.countStepsInFlight({ lockedBy });
      next = Math.max(next, clock.now() + restFactor * (clock.now() - from));
      inFlight = new Map(counts.map((counted) => [counted.lane, counted.inFlight]));
      own = new Map(counts.map((counted) => [counted.lane, counted.own]));
      for (const [lane, steps] of changes) {
        change(inFlight, lane, steps);
        change(own, lane, steps);
      }
    } finally {
      stale.counts = next;
    }
  };

  const look = async (): Promise<void> => {
    // Who knows of none may have been here before the first workflow was registered.
    const knowsNone = lanes.length === 0;
    if (isStale("lanes") || knowsNone) lanes = await store.findLanes();
    if (isStale("consumers") || knowsNone) {
      schedulers = Math.max(1, (await broker.inspect(replyQueue))?.consumers ?? 1);
      windows = await inspectWindows(broker, lanes, window * schedulers);
    }
    if (isStale("counts") && lanes.length > 0) await count();
  };

  return {
    /** Looks again at what is stale. Only the first look is worth waiting for. */
    async refresh(): Promise<void> {
      const looking = look();
      if (lanes.length === 0) await looking;
      else looking.catch((err: unknown) => log.warn({ err }, "windows not refreshed"));
    },
    /**
     * Each Scheduler fills its own window, so that none has all and the others none; and no more than what is
     * free of all, for some of that may have died. For what it makes due itself there is as much again, so
     * that no other one takes it out of its hands.
     */
    room: (freed: readonly string[]): readonly Room[] =>
      lanes
        .map((lane) => {
          const soon = freed.filter((agent) => agent === lane).length;
          const all = windows.get(lane) ?? probe;
          const free = all + soon - (inFlight.get(lane) ?? 0);
          const ours = Math.ceil(all / schedulers) + soon - (own.get(lane) ?? 0);
          const places = Math.min(free, ours);
          return { lane, places: Math.max(0, places), most: free + (schedulers > 1 ? all : 0) };
        })
        .filter(({ most }) => most > 0),
    claimed: (lane: string) => add(lane, 1),
    settled: (lane: string) => add(lane, -1),
  };
}

export type LaneWindows = ReturnType<typeof laneWindows>;

const change = (counts: Map<string, number>, lane: string, steps: number): void =>
  void counts.set(lane, Math.max(0, (counts.get(lane) ?? 0) + steps));

async function inspectWindows(
  broker: Pick<Broker, "inspect">,
  lanes: readonly string[],
  window: number,
): Promise<Map<string, number>> {
  const queues = await Promise.all(lanes.map((lane) => broker.inspect(agentQueue(lane))));
  return new Map(
    lanes.map((lane, index) => [lane, (queues[index]?.consumers ?? 0) > 0 ? window : probe]),
  );
}
