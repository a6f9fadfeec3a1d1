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
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Logger;
  /** Ends counting by itself. */
  readonly signal: AbortSignal;
}

/** Without consumers one request goes out, to find out when there are some again. */
const probe = 1;
/** Milliseconds. All Schedulers together count that often, for each of them counts what all have in flight. */
const refreshEvery = { counts: 100, consumers: 1_000, lanes: 1_000 };
/** Counting takes a fifth of the time at most. */
const restFactor = 4;

/**
 * How many more steps of each lane may be claimed. The backlog waits in the state store, where it can
 * be reordered, paused and cancelled, so queues are kept short. Counts are read from the store every
 * 100 ms at most, less often when that takes long, and kept up in between; how many Schedulers there are
 * shows at the queue that they all consume.
 */
export function laneWindows({ store, broker, window, lockedBy, clock, log, signal }: Dependencies) {
  let lanes: readonly string[] = [];
  let inFlight = new Map<string, number>();
  let own = new Map<string, number>();
  /** What has changed since the last count was begun. */
  let changes = new Map<string, number>();
  let windows = new Map<string, number>();
  let schedulers = 1;
  const stale = { counts: 0, consumers: 0, lanes: 0 };
  /** When the last count had ended; never, while there is one. */
  let countedAt = Number.NEGATIVE_INFINITY;
  /** Whether something may have been counted twice, as claimed and by the store. */
  let isDoubtful = false;
  let isRecounting = false;
  let tell: (() => void) | null = null;

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

  const roomOf = (lane: string, soon = 0) => {
    const all = windows.get(lane) ?? probe;
    const free = all + soon - (inFlight.get(lane) ?? 0);
    const ours = Math.ceil(all / schedulers) + soon - (own.get(lane) ?? 0);
    const places = Math.max(0, Math.min(free, ours));
    return { lane, places, most: free + (schedulers > 1 ? all : 0) };
  };
  const withPlaces = () => new Set(lanes.filter((lane) => roomOf(lane).places > 0));
  /** Says so when a lane has places by that which had none. */
  const learn = (update: () => void): void => {
    const known = withPlaces();
    update();
    if ([...withPlaces()].some((lane) => !known.has(lane))) tell?.();
  };

  const count = async (): Promise<void> => {
    const from = clock.now();
    changes = new Map();
    isDoubtful = false;
    countedAt = Number.POSITIVE_INFINITY;
    // One at a time.
    stale.counts = Number.POSITIVE_INFINITY;
    let next = from + refreshEvery.counts * schedulers;
    try {
      const counts = await store.countStepsInFlight({ lockedBy });
      next = Math.max(next, clock.now() + restFactor * (clock.now() - from));
      learn(() => {
        inFlight = new Map(counts.map((counted) => [counted.lane, counted.inFlight]));
        own = new Map(counts.map((counted) => [counted.lane, counted.own]));
        for (const [lane, steps] of changes) {
          change(inFlight, lane, steps);
          change(own, lane, steps);
        }
      });
    } finally {
      countedAt = clock.now();
      stale.counts = next;
      recountLater();
    }
  };

  /** For a lane that only seems to be full there may be no reply to come, with which all is looked at again. */
  const recountLater = (): void => {
    if (!isDoubtful || isRecounting || stale.counts === Number.POSITIVE_INFINITY) return;
    isRecounting = true;
    clock.after(stale.counts - clock.now(), () => {
      isRecounting = false;
      if (!signal.aborted) inBackground(look().finally(recountLater));
    });
  };

  const look = async (): Promise<void> => {
    // Who knows of none may have been here before the first workflow was registered.
    const knowsNone = lanes.length === 0;
    if (isStale("lanes") || knowsNone) {
      const found = await store.findLanes();
      learn(() => void (lanes = found));
    }
    if (isStale("consumers") || knowsNone) {
      schedulers = Math.max(1, (await broker.inspect(replyQueue))?.consumers ?? 1);
      const inspected = await inspectWindows(broker, lanes, window * schedulers);
      learn(() => void (windows = inspected));
    }
    if (isStale("counts") && lanes.length > 0) await count();
  };

  const inBackground = (looking: Promise<void>): void =>
    void looking.catch((err: unknown) => log.warn({ err }, "windows not refreshed"));

  return {
    /** Looks again at what is stale. Only the first look is worth waiting for. */
    async refresh(): Promise<void> {
      const looking = look();
      if (lanes.length === 0) await looking;
      else inBackground(looking);
    },
    /** Has `act` called when a lane has got room that had none. */
    whenRoom(act: () => void): void {
      tell = act;
    },
    /**
     * Each Scheduler fills its own window, so that none has all and the others none; and no more than what is
     * free of all, for some of that may have died. For what it makes due itself there is as much again, so
     * that no other one takes it out of its hands.
     */
    room: (freed: readonly string[]): readonly Room[] =>
      lanes
        .map((lane) => roomOf(lane, freed.filter((agent) => agent === lane).length))
        .filter(({ most }) => most > 0),
    /** `since`: on our clock, when the claim was begun. */
    claimed(lane: string, since: number): void {
      add(lane, 1);
      // A count that overlapped has it or not.
      isDoubtful ||= since < countedAt;
      recountLater();
    },
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
