import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type { ClaimedStep, ClaimOptions, StateStore } from "@holdfast/state-store";
import type { LaneWindows } from "./lane-windows.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "claimDueSteps">;
  readonly windows: LaneWindows;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** A hint to the other Schedulers that there is more than one claim can take. */
  readonly hint: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly lockedBy: string;
  readonly relayAfter: () => number;
}

/** Milliseconds. The relay looks for us, with the same statement as for everything else, and wakes us. */
const rest = 60_000;

/** What one claim statement takes at most. */
const batch = 500;

/**
 * Claims due steps, as many as their Agents have room for, and sends them off without waiting for
 * the broker's confirms: the next claim need not wait for them.
 */
export function claimSteps(deps: Dependencies) {
  const { store, windows, dispatch, hint, clock, log, failpoint, lockedBy, relayAfter } = deps;
  const dispatching = new Set<Promise<void>>();

  /** What may be claimed once these Agents have one step less each; null: nothing. */
  const optionsFor = (freed: readonly string[]): ClaimOptions | null => {
    const room = windows.room(freed);
    return room.length === 0 ? null : { lockedBy, room, relayAfter: relayAfter() };
  };

  /** Sends off what was claimed. `claimedAt`: on our monotonic clock, when the claim was begun. */
  const send = (claims: readonly ClaimedStep[], claimedAt: number): void => {
    if (claims.length === 0) return;
    failpoint("scheduler.claimed", () => claims.map(({ name }) => name));
    for (const { lane } of claims) windows.claimed(lane, claimedAt);
    const sent = dispatch(claims, claimedAt)
      // Not lost: what is not marked as dispatched is relayed.
      .catch((err: unknown) => log.error({ err }, "dispatch failed"))
      .finally(() => dispatching.delete(sent));
    dispatching.add(sent);
    if (claims.length === batch) hint();
  };

  return {
    optionsFor,
    send,
    /** One claim by itself. Resolves to how long to rest, in milliseconds. */
    async round(): Promise<number> {
      await windows.refresh();
      const options = optionsFor([]);
      if (!options?.room.some(({ places }) => places > 0)) return rest;
      const claimedAt = clock.now();
      failpoint("scheduler.claiming");
      const claims = await store.claimDueSteps(options);
      send(claims, claimedAt);
      return claims.length === batch ? 0 : rest;
    },
    /** Resolves when everything that was claimed has been sent off. */
    drained: async (): Promise<void> => void (await Promise.allSettled(dispatching)),
  };
}

export type StepClaims = ReturnType<typeof claimSteps>;
