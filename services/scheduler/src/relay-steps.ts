import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type { ClaimedStep, StateStore } from "@holdfast/state-store";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "promoteRestedSteps" | "takeUndispatchedSteps" | "keepPauses">;
  readonly dispatches: Dispatches;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** There may be steps to claim. */
  readonly wake: () => void;
  /** There is something to be told. */
  readonly notify: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly relayAfter: () => number;
  /** How long to rest at most, in milliseconds. */
  readonly rest: number;
}

/** How many the store hands out at a time. */
const batch = 200;
/** Coming back sooner than this finds nothing new. */
const shortestRest = 50;

/**
 * One round of what only time brings about: makes steps claimable whose rest is over, and publishes
 * again what nobody has marked for too long, because the Scheduler that claimed it may be dead. Asks
 * also for what others left to be done. Resolves to how long to rest.
 */
export function relaySteps(deps: Dependencies) {
  const { store, dispatches, dispatch, wake, notify, clock, log, failpoint, relayAfter, rest } =
    deps;
  let isAsked = false;

  const relay = async (): Promise<void> => {
    for (let taken = batch; taken === batch; ) {
      const takenAt = clock.now();
      const claims = await store.takeUndispatchedSteps({ relayAfter: relayAfter() });
      taken = claims.length;
      // What we are confirming ourselves is on its way: publishing it again would only add load.
      const lost = claims.filter((claim) => !dispatches.isOpen(claim));
      if (lost.length > 0) log.warn({ steps: lost.length }, "requests relayed");
      if (lost.length > 0) failpoint("scheduler.relaying", () => lost.map(({ name }) => name));
      await dispatch(lost, takenAt);
    }
  };

  const round = async (): Promise<number> => {
    const { lanes, nextIn, relayIn, hasDue, hasNotices, hasPauses } =
      await store.promoteRestedSteps();
    if (hasNotices) notify();
    const moved = hasPauses ? await store.keepPauses() : 0;
    if (hasDue || lanes.length > 0 || moved > 0) wake();
    if (isAsked || (relayIn !== null && relayIn <= 0)) {
      isAsked = false;
      await relay();
    }
    if (moved > 0) return shortestRest;
    return Math.max(shortestRest, Math.min(rest, nextIn ?? rest, relayIn ?? rest));
  };

  return {
    round,
    /** Has the next round relay, without asking first whether there is anything to relay. */
    soon: (): void => {
      isAsked = true;
    },
  };
}
