import type { StateStore } from "@holdfast/state-store";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "markDispatchedSteps">;
  readonly dispatches: Dispatches;
}

/** Milliseconds. Together with the time until a mark is due well below what a relay waits. */
const rest = 100;

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
