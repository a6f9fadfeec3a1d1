import type { Failpoint } from "@holdfast/runtime";
import type { SchedulerStore } from "@holdfast/state-store";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "markDispatchedSteps">;
  readonly dispatches: Dispatches;
  readonly failpoint: Failpoint;
}

/** Milliseconds. We are woken when there is something to mark. */
const rest = 60_000;

/**
 * One round: marks requests that the broker has confirmed and no Agent has answered yet, so that no
 * other Scheduler takes them for lost. Asks the store for nothing when there are none.
 */
export const markSteps =
  ({ store, dispatches, failpoint }: Dependencies) =>
  async (): Promise<number> => {
    const unmarked = dispatches.unmarked();
    if (unmarked.length > 0) {
      const names = () => unmarked.map(({ name }) => name);
      failpoint("scheduler.marking", names);
      await store.markDispatchedSteps(unmarked);
      failpoint("scheduler.marked", names);
      for (const claim of unmarked) dispatches.marked(claim);
    }
    return rest;
  };
