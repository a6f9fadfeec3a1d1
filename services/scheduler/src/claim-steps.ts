import type { Failpoint, Logger } from "@holdfast/runtime";
import type { ClaimedStep, StateStore } from "@holdfast/state-store";
import type { LaneWindows } from "./lane-windows.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "claimDueSteps">;
  readonly windows: LaneWindows;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** A hint to the other Schedulers that there is more than one claim can take. */
  readonly hint: () => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly lockedBy: string;
  readonly relayAfter: () => number;
  /** How long to rest when nothing is due, in milliseconds. */
  readonly rest: number;
}

/** What one claim statement takes at most. */
const batch = 500;

/**
 * One round: claims as many due steps as their Agents have room for and sends them off, without
 * waiting for the broker's confirms: the next claim need not wait for them. Resolves to how long to
 * rest.
 */
export function claimSteps(deps: Dependencies) {
  const { store, windows, dispatch, hint, log, failpoint, lockedBy, relayAfter, rest } = deps;
  const dispatching = new Set<Promise<void>>();

  const round = async (): Promise<number> => {
    await windows.refresh();
    const room = windows.room();
    if (room.length === 0) return rest;
    const claimedAt = performance.now();
    const claims = await store.claimDueSteps({ lockedBy, room, relayAfter: relayAfter() });
    if (claims.length === 0) return rest;
    failpoint("scheduler.claimed");
    for (const { lane } of claims) windows.claimed(lane);
    const sent = dispatch(claims, claimedAt)
      // Not lost: what is not marked as dispatched is relayed.
      .catch((err: unknown) => log.error({ err }, "dispatch failed"))
      .finally(() => dispatching.delete(sent));
    dispatching.add(sent);
    if (claims.length < batch) return rest;
    hint();
    return 0;
  };

  return {
    round,
    /** Resolves when everything that was claimed has been sent off. */
    drained: async (): Promise<void> => void (await Promise.allSettled(dispatching)),
  };
}
