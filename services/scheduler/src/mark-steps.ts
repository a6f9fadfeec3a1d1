import type { StateStore } from "@holdfast/state-store";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "markDispatchedSteps">;
  readonly dispatches: Dispatches;
}

/** Milliseconds. We are woken when there is something to mark. */
const rest = 60_000;

/**
 * One round: marks requests that the broker has confirmed and no Agent has answered yet, so that no
 * other Scheduler takes them for lost. Asks the store for nothing when there are none.
 */
export const markSteps =
  ({ store, dispatches }: Dependencies) =>
  async (): Promise<number> => {
    const unmarked = dispatches.unmarked();
    if (unmarked.length > 0) {
      await store.markDispatchedSteps(unmarked);
      for (const claim of unmarked) dispatches.forget(claim);
    }
    return rest;
  };
