import type { Failpoint, Logger } from "@holdfast/runtime";
import type { ClaimedStep } from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { InFlightLimits } from "./in-flight-limits.ts";

interface Dependencies {
  readonly limits: Pick<InFlightLimits, "claimed" | "urgent">;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** A hint to the other Schedulers that more steps are due than one claim takes. */
  readonly hint: () => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly measures: Pick<SchedulerMeasures, "claimed">;
}

/** What one claim statement takes at most. */
export const claimBatch = 500;

/** Counts claimed steps as in flight, and dispatches them without waiting for publisher confirms. */
export function dispatchClaims(deps: Dependencies) {
  const { limits, dispatch, hint, log, failpoint, measures } = deps;
  const dispatching = new Set<Promise<void>>();

  return {
    /** `claimedAt`: on our monotonic clock, when the claim began. */
    send(claims: readonly ClaimedStep[], claimedAt: number): void {
      if (claims.length === 0) return;
      failpoint("scheduler.claimed", () => claims.map(({ name }) => name));
      measures.claimed(claims);
      for (const { agent } of claims) limits.claimed(agent, claimedAt);
      if (claims.some(({ priority }) => priority === "urgent")) limits.urgent.saw();
      const sent = dispatch(claims, claimedAt)
        // Not lost: a step that is not marked as dispatched is relayed.
        .catch((err: unknown) => log.error({ err }, "dispatch failed"))
        .finally(() => dispatching.delete(sent));
      dispatching.add(sent);
      if (claims.length === claimBatch) hint();
    },
    /** Resolves when everything that was claimed has been dispatched. */
    drained: async (): Promise<void> => void (await Promise.allSettled(dispatching)),
  };
}
