import type { Clock } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "countStepsInFlight">;
  /** Which of the steps in flight are ours. */
  readonly lockedBy: string;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Ends recounting. */
  readonly signal: AbortSignal;
  /** Applies new counts, and notices which Agents have slots by them. */
  readonly replace: (change: () => void) => void;
  /** Refreshes whatever is stale; called when these counts have to be taken again. */
  readonly refresh: () => Promise<void>;
  /** Called when a count found urgent steps, of whichever Scheduler. */
  readonly onUrgent: () => void;
}

/** Milliseconds. All Schedulers together count that often, for each of them counts what all have in flight. */
const countEvery = 100;
/** Counting takes a fifth of the time at most. */
const delayFactor = 4;

/**
 * How many steps of each Agent are in flight, of all Schedulers and of this one. The store counts them every 100
 * ms at most, less often when that takes long; claims and replies of this Scheduler change them in between.
 */
export function inFlightCounts(deps: Dependencies) {
  const { store, lockedBy, clock, signal, replace, refresh, onUrgent } = deps;
  const counts = laneCounts();
  /** When to count again; never, while a count runs. */
  let staleAt = 0;
  /** When the last count ended; never, while a count runs. */
  let countedAt = Number.NEGATIVE_INFINITY;
  /** Whether a step may have been counted twice: as claimed, and by the store. */
  let isDoubtful = false;
  let isRecounting = false;

  /** An Agent that only seems to be full may expect no reply, and nothing else would have it counted again. */
  const recountLater = (): void => {
    if (!isDoubtful || isRecounting || staleAt === Number.POSITIVE_INFINITY) return;
    isRecounting = true;
    clock.after(staleAt - clock.now(), () => {
      isRecounting = false;
      if (!signal.aborted) void refresh().finally(recountLater);
    });
  };

  return {
    of: counts.of,
    areStale: (): boolean => clock.now() >= staleAt,
    /** Counts anew; `schedulers` share the load of counting. One count runs at a time. */
    async count({ schedulers }: { readonly schedulers: number }): Promise<void> {
      const from = clock.now();
      counts.beginCount();
      isDoubtful = false;
      countedAt = Number.POSITIVE_INFINITY;
      staleAt = Number.POSITIVE_INFINITY;
      let next = from + countEvery * schedulers;
      try {
        const counted = await store.countStepsInFlight({ lockedBy });
        next = Math.max(next, clock.now() + delayFactor * (clock.now() - from));
        if (counted.some(({ urgent }) => urgent > 0)) onUrgent();
        replace(() => counts.replaceBy(counted));
      } finally {
        countedAt = clock.now();
        staleAt = next;
        recountLater();
      }
    },
    /** `since`: on our clock, when the claim began. A count that overlapped it has the step or has not. */
    claimed(agent: string, since: number): void {
      counts.add(agent, 1);
      isDoubtful ||= since < countedAt;
      recountLater();
    },
    /** `since`: when the transaction that settled the step began. A count that overlapped it had the step or had it not. */
    settled(agent: string, since: number): void {
      counts.add(agent, -1);
      if (since >= countedAt) return;
      counts.doubt(agent);
      isDoubtful = true;
      recountLater();
    },
  };
}

/** How many steps of an Agent, called `lane` here, are in flight, and how many of them this Scheduler has claimed. */
interface LaneCount {
  readonly lane: string;
  readonly inFlight: number;
  readonly own: number;
}

type Counts = Map<string, number>;

/** Steps in flight by lane: as last counted, with the claims and replies of this Scheduler since the count began. */
function laneCounts() {
  let all: Counts = new Map();
  let own: Counts = new Map();
  /** What has changed since the last count began. */
  let changes: Counts = new Map();
  /** Steps that were taken off and that the last count may not have had any more; and the next one, while it runs. */
  let uncertain: Counts = new Map();
  let nextUncertain: Counts | null = null;

  return {
    of: (lane: string) => ({
      inFlight: all.get(lane) ?? 0,
      own: own.get(lane) ?? 0,
      uncertain: uncertain.get(lane) ?? 0,
    }),
    /** This Scheduler has so many steps more, or less, in flight. */
    add(lane: string, steps: number): void {
      change(all, lane, steps);
      change(own, lane, steps);
      changes.set(lane, (changes.get(lane) ?? 0) + steps);
    },
    /** A step was taken off that the count may not have had any more: it may be taken off twice. */
    doubt: (lane: string): void => change(nextUncertain ?? uncertain, lane, 1),
    /** A count begins: what changes from now on may be in it or not. */
    beginCount(): void {
      changes = new Map();
      nextUncertain = new Map();
    },
    /** Takes over a count, and applies to it what has changed since it began. */
    replaceBy(counts: readonly LaneCount[]): void {
      uncertain = nextUncertain ?? new Map();
      nextUncertain = null;
      all = new Map(counts.map((counted) => [counted.lane, counted.inFlight]));
      own = new Map(counts.map((counted) => [counted.lane, counted.own]));
      for (const [lane, steps] of changes) {
        change(all, lane, steps);
        change(own, lane, steps);
      }
    },
  };
}

const change = (counts: Counts, lane: string, steps: number): void =>
  void counts.set(lane, Math.max(0, (counts.get(lane) ?? 0) + steps));
