import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type {
  AppliedEvents,
  ClaimedStep,
  ClaimOptions,
  ProbeOptions,
  StateStore,
} from "@holdfast/state-store";
import { batchReserve } from "./batch-reserve.ts";
import { claimBatch, dispatchClaims } from "./dispatch-claims.ts";
import type { InFlightLimits } from "./in-flight-limits.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "claimDueSteps" | "claimProbe">;
  readonly limits: InFlightLimits;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** A hint to the other Schedulers that more steps are due than one claim takes. */
  readonly hint: () => void;
  /** Has another round begin. */
  readonly wake: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly lockedBy: string;
  readonly relayAfter: () => number;
  /** Percent of the slots of a claim that are for the band `batch`, if a step of it is due. */
  readonly batchReserve: number;
}

/** Milliseconds. The relay looks for due steps, with the statement that it runs anyway, and wakes the claim. */
const delay = 60_000;

/**
 * Claims due steps, by rounds of its own and within the transactions of replies, and counts what is in flight:
 * no other module does. Claimed steps are dispatched without waiting for publisher confirms.
 */
export function claimSteps(deps: Dependencies) {
  const { store, limits, wake, clock, failpoint, lockedBy, relayAfter } = deps;
  const dispatcher = dispatchClaims(deps);
  const reserve = batchReserve(deps.batchReserve);

  /** What may be claimed once these lanes have one step less each; null: nothing. */
  const optionsFor = (freed: readonly string[]): ClaimOptions | null => {
    const capacity = limits.capacity(freed);
    if (capacity.length === 0) return null;
    return { lockedBy, capacity: capacity.map(reserve), relayAfter: relayAfter() };
  };

  return {
    /** One claim by itself. Resolves to the delay until the next, in milliseconds. */
    async round(): Promise<number> {
      await limits.refresh();
      const options = optionsFor([]);
      if (!options?.capacity.some(({ slots }) => slots > 0)) return delay;
      const claimedAt = clock.now();
      failpoint("scheduler.claiming");
      const claims = await store.claimDueSteps(options);
      dispatcher.send(claims, claimedAt);
      return claims.length === claimBatch ? 0 : delay;
    },
    /**
     * Has `apply` apply one event of each of these lanes, and claim in the same transaction what they make due
     * and what waited for their slots.
     */
    async withEvents(
      lanes: readonly string[],
      apply: (how: { readonly claim?: ClaimOptions }) => Promise<AppliedEvents>,
    ): Promise<AppliedEvents> {
      await limits.refresh();
      const claim = optionsFor(lanes);
      const claimedAt = clock.now();
      const applied = await apply(claim === null ? {} : { claim });
      settle(lanes, applied);
      if (applied.claims === null) wake();
      else dispatcher.send(applied.claims, claimedAt);
      return applied;
    },
    /** Claims the one step with which an open breaker is tried. False: there was none, or it is not due. */
    async probe(wish: Pick<ProbeOptions, "service" | "lanes">): Promise<boolean> {
      const claimedAt = clock.now();
      const probe = await store.claimProbe({ ...wish, lockedBy, relayAfter: relayAfter() });
      if (probe !== null) dispatcher.send([probe], claimedAt);
      return probe !== null;
    },
    /** Frees the slots of lanes whose events were applied without a claim. */
    freed(lanes: readonly string[], applied: Pick<AppliedEvents, "outcomes">): void {
      settle(lanes, applied);
      wake();
    },
    /** Resolves when everything that was claimed has been dispatched. */
    drained: () => dispatcher.drained(),
  };

  function settle(lanes: readonly string[], { outcomes }: Pick<AppliedEvents, "outcomes">): void {
    lanes.forEach((lane, index) => outcomes[index]?.applied && limits.settled(lane));
  }
}

export type StepClaims = ReturnType<typeof claimSteps>;
