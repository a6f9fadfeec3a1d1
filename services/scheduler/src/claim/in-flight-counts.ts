import type { Clock } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";
import { laneCounts } from "./lane-counts.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "countStepsInFlight">;
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
