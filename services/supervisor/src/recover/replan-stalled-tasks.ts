import type { Logger, Measure } from "@holdfast/runtime";
import type { SupervisorStore } from "@holdfast/state-store";

interface ReplanDependencies {
  readonly store: Pick<SupervisorStore, "findStalledTasks" | "applyEvents">;
  readonly log: Logger;
  readonly actor: string;
  readonly replanned: Measure;
}

/** Milliseconds. Longer than any decision takes to be saved. */
const untouchedFor = 60_000;

/**
 * The net below everything: plans tasks anew that are unfinished and have nothing to wait for, or a
 * step that is delayed for longer than its policy allows. There should never be any, so each one is
 * logged as an error. Looks at the next few tasks each time, and resolves to whether they were the
 * last: then it begins again.
 */
export function replanStalledTasks({ store, log, actor, replanned: count }: ReplanDependencies) {
  let after: string | null = null;
  return async (): Promise<boolean> => {
    const { taskIds, next } = await store.findStalledTasks({ after, untouchedFor });
    if (taskIds.length > 0) {
      const replanned = taskIds.map((taskId) => ({
        taskId,
        event: { kind: "replanned" as const },
      }));
      const { outcomes } = await store.applyEvents(replanned, { actor, skipLocked: true });
      // A long delay that the policy allows is no fault, and neither is a task that has just moved
      // on.
      const moved = taskIds.filter((_, index) => outcomes[index]?.applied);
      if (moved.length > 0) count(moved.length);
      if (moved.length > 0) log.error({ taskIds: moved }, "stalled tasks replanned");
    }
    after = next;
    return next === null;
  };
}
