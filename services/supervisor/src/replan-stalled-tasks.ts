import type { Logger } from "@holdfast/runtime";
import type { StateStore } from "@holdfast/state-store";

interface Dependencies {
  readonly store: Pick<StateStore, "findStalledTasks" | "applyIncidents">;
  readonly log: Logger;
  readonly actor: string;
  /** How long to rest in between, in milliseconds. */
  readonly rest: number;
}

const batch = 200;
/** Milliseconds. Longer than anything in hand can take to be saved. */
const untouchedFor = 60_000;

/**
 * The net below everything: plans tasks anew that are unfinished and have nothing to wait for. There
 * should never be any, so each one is logged as an error.
 */
export function replanStalledTasks({ store, log, actor, rest }: Dependencies) {
  return async (): Promise<number> => {
    const stalled = await store.findStalledTasks({ batch, untouchedFor });
    if (stalled.length === 0) return rest;
    const replanned = stalled.map(({ taskId }) => ({
      taskId,
      event: { kind: "replanned" as const },
    }));
    await store.applyIncidents(replanned, { actor, skipLocked: true });
    log.error({ taskIds: stalled.map(({ taskId }) => taskId) }, "stalled tasks planned anew");
    return rest;
  };
}
