import { type Clock, type Failpoint, failureLog, type Logger } from "@holdfast/runtime";
import type { ClaimedStep, SchedulerStore } from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "stageDueSteps" | "takeUndispatchedSteps" | "applyPauses">;
  readonly dispatches: Dispatches;
  readonly dispatch: (
    claims: readonly ClaimedStep[],
    claimedAt: number,
    how: { readonly isRelay: boolean },
  ) => Promise<void>;
  /** Is called when there may be steps to claim. */
  readonly wake: () => void;
  /** Is called when there may be steps to claim, and the breakers must be known first. */
  readonly wakeByBreakers: () => void;
  /** Is called when there are notifications to send. */
  readonly notify: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly relayAfter: () => number;
  /** The longest delay between two rounds, in milliseconds. */
  readonly maxDelay: number;
  readonly measures: Pick<SchedulerMeasures, "relayed">;
}

/** How many lost requests the store hands out at a time. */
const batch = 200;
/** Milliseconds. An earlier round would find nothing new. */
const minDelay = 50;

/**
 * One round: stages steps whose delay is over, and publishes requests again that were not marked in time, because
 * the Scheduler that claimed them may be dead. It also looks for due steps, notifications and pauses that other
 * processes left. Resolves to the delay until the next round.
 */
export function relaySteps(deps: Dependencies) {
  const { store, dispatches, dispatch, notify, clock, log, failpoint, relayAfter, maxDelay } = deps;
  let isAsked = false;
  // While the broker blocks its publishers, each round relays the same steps; the metric counts all.
  const relays = failureLog(clock);

  const relay = async (): Promise<void> => {
    for (let taken = batch; taken === batch; ) {
      const takenAt = clock.now();
      // A request that is being built, or waits for its publisher confirm, here is not lost.
      const held = dispatches.held();
      const lost = await store.takeUndispatchedSteps({ relayAfter: relayAfter(), held });
      taken = lost.length;
      const isDue = lost.length > 0 && relays.failed("lost") !== null;
      if (isDue) log.warn({ steps: lost.length }, "requests relayed");
      if (lost.length > 0) failpoint("scheduler.relaying", () => lost.map(({ name }) => name));
      if (lost.length > 0) deps.measures.relayed(lost.length);
      await dispatch(lost, takenAt, { isRelay: true });
    }
  };

  const round = async (): Promise<number> => {
    const staged = await store.stageDueSteps();
    const { lanes, nextIn, relayIn, hasDue } = staged;
    if (staged.hasNotifications) notify();
    const moved = staged.hasPauses ? await store.applyPauses() : 0;
    const wake = staged.hasBreakers ? deps.wakeByBreakers : deps.wake;
    if (hasDue || lanes.length > 0 || moved > 0) wake();
    if (isAsked || (relayIn !== null && relayIn <= 0)) {
      isAsked = false;
      await relay();
    }
    if (moved > 0) return minDelay;
    return Math.max(minDelay, Math.min(maxDelay, nextIn ?? maxDelay, relayIn ?? maxDelay));
  };

  return {
    round,
    /** Has the next round relay, without asking first whether there is anything to relay. */
    soon: (): void => {
      isAsked = true;
    },
  };
}

export type StepRelay = ReturnType<typeof relaySteps>;
