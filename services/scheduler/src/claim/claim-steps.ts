import { bandOf, type Milliseconds } from "@holdfast/domain";
import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type {
  AppliedEvents,
  ClaimedStep,
  ClaimOptions,
  SchedulerStore,
} from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { Observer } from "../observer.ts";
import {
  allowanceOf,
  allowances,
  areUrgentExpected,
  type LaneAllowance,
  offerAll,
  offerUrgent,
  withoutNumbers,
} from "../state/allowances.ts";
import { resendAfter } from "../state/requests.ts";
import { nextWake } from "../state/scheduler-state.ts";
import type { FleetReader } from "./read-fleet.ts";

interface ClaimDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "claimDueSteps" | "claimProbe">;
  readonly fleet: Pick<FleetReader, "refresh">;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: Milliseconds) => Promise<void>;
  /** A hint to the other Schedulers that steps are due which this one does not claim. */
  readonly hint: () => void;
  /**
   * Aborts when this Scheduler stops: it claims nothing more, for it could not wait for the
   * replies.
   */
  readonly signal: AbortSignal;
  /** Has another round begin. */
  readonly wake: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  readonly measures: Pick<SchedulerMeasures, "claimed">;
}

/** A claim in the transaction of events, which frees slots of the Agents that they are of. */
export interface JoinedClaim {
  /** What the transaction may claim; null: nothing. */
  readonly claim: ClaimOptions | null;
  /** When it began. */
  readonly since: Milliseconds;
  /** Whether steps are due, or may be, that it leaves to another claim, whatever it takes. */
  readonly leavesOthers: boolean;
  /** How many steps must be claimed at least, or some are left. */
  readonly expected: number;
}

/** What one claim statement takes at most. */
const claimBatch = 500;
const urgentBand = bandOf("urgent");

/**
 * Claims due steps, by rounds of its own and within the transactions of replies: no other module
 * does. Claimed steps are dispatched without waiting for publisher confirms.
 */
export function claimSteps(deps: ClaimDependencies) {
  const { store, fleet, state, wake, hint, signal, clock, failpoint } = deps;
  const { admission } = state;
  const dispatcher = claimDispatcher(deps);
  const offer = offering(deps);

  const claim = async (options: ClaimOptions | null): Promise<readonly ClaimedStep[]> => {
    if (!options?.capacity.some(({ slots }) => slots > 0)) return [];
    const since = clock.now();
    failpoint("scheduler.claiming");
    const claims = await store.claimDueSteps(options);
    dispatcher.dispatch(claims, since);
    return claims;
  };

  return {
    /**
     * One claim by itself, before it one of urgent steps if there were any lately. Resolves to the
     * delay until the next, in milliseconds.
     */
    async round(): Promise<number> {
      await fleet.refresh();
      if (areUrgentExpected(admission, clock.now())) await claim(offer("urgent").options);
      const { lanes, options } = offer("all");
      const claims = await claim(options);
      const isMoreDue = claims.length === claimBatch || hasSlotsLeft(lanes, claims);
      // The resend looks for due steps, with the statement that it runs anyway, and wakes the
      // claim.
      return isMoreDue ? 0 : nextWake(state, "claim", clock.now());
    },
    /**
     * Says what the transaction may claim that records one event of each of these Agents: what they
     * make due, and what waited for their slots. Events of urgent steps claim nothing but urgent
     * ones, which is quicker.
     */
    async join(
      agents: readonly string[],
      { areUrgent }: { readonly areUrgent: boolean },
    ): Promise<JoinedClaim> {
      await fleet.refresh();
      const now = clock.now();
      const isFull = (agent: string): boolean => allowanceOf(state, agent, { now }).slots === 0;
      const leavesOthers = areUrgent && agents.some(isFull);
      const claimed = signal.aborted ? null : offer(areUrgent ? "urgent" : "all", agents).options;
      // What is urgent for its Agent alone may not have been claimed.
      const expected = areUrgent ? agents.length : 0;
      return { claim: claimed, since: clock.now(), leavesOthers, expected };
    },
    /** Dispatches what such a transaction has claimed, and has the rest claimed. */
    take(
      { since, leavesOthers, expected }: JoinedClaim,
      { claims }: Pick<AppliedEvents, "claims">,
    ): void {
      dispatcher.dispatch(claims ?? [], since);
      if (signal.aborted) hint();
      else if (claims === null || leavesOthers || claims.length < expected) wake();
    },
    probe: probing(deps, dispatcher),
    drained: dispatcher.drained,
  };
}

/** Dispatches claimed steps, and knows which it has not dispatched yet. */
function claimDispatcher(deps: ClaimDependencies) {
  const { see, hint, log, failpoint, measures } = deps;
  const dispatching = new Set<Promise<void>>();
  return {
    /** Counts claimed steps as in flight, and publishes them. `since`: when their claim began. */
    dispatch(claims: readonly ClaimedStep[], since: Milliseconds): void {
      if (claims.length === 0) return;
      failpoint("scheduler.claimed", () => claims.map(({ name }) => name));
      measures.claimed(claims);
      see({ kind: "claimed", claims, since });
      const sent = deps
        .dispatch(claims, since)
        // Not lost: a step that is not recorded as confirmed is resent.
        .catch((err: unknown) => log.error({ err }, "dispatch failed"))
        .finally(() => dispatching.delete(sent));
      dispatching.add(sent);
      if (claims.length === claimBatch) hint();
    },
    /** Resolves when everything that was claimed has been dispatched. */
    drained: async (): Promise<void> => void (await Promise.allSettled(dispatching)),
  };
}

/**
 * Claims the one step with which an open breaker is tried. Resolves to false if there was none, or
 * it is not due.
 */
const probing =
  (
    { state, see, store, clock, actor: lockedBy }: ClaimDependencies,
    dispatcher: Pick<ReturnType<typeof claimDispatcher>, "dispatch">,
  ) =>
  async (service: string, lanesOfService: readonly string[]): Promise<boolean> => {
    const since = clock.now();
    const lanes = allowances(state, lanesOfService, { now: since }).map(withoutNumbers);
    see({ kind: "offered", to: "probe", lanes, offered: [] });
    const delay = resendAfter(state.requests);
    const probe = await store.claimProbe({ service, lanes, lockedBy, resendAfter: delay });
    dispatcher.dispatch(probe === null ? [] : [probe], since);
    return probe !== null;
  };

/**
 * Says what a claim may take once the Agents `freed` have one step less in flight each; null:
 * nothing.
 */
function offering({ state, see, clock, actor: lockedBy }: ClaimDependencies) {
  const { admission, requests } = state;
  return (to: "all" | "urgent", freed: readonly string[] = []) => {
    const lanes = allowances(state, admission.lanes, { now: clock.now(), freed });
    const capacity = to === "all" ? offerAll(admission, lanes) : offerUrgent(lanes);
    see({ kind: "offered", to, lanes, offered: capacity });
    const all: ClaimOptions = { lockedBy, capacity, resendAfter: resendAfter(requests) };
    const options = to === "all" ? all : { ...all, upTo: urgentBand };
    return { lanes, options: capacity.length === 0 ? null : options };
  };
}

export type StepClaims = ReturnType<typeof claimSteps>;

/**
 * Whether a lane was given all that it may have, and other lanes of its Agent may not need their
 * parts.
 */
function hasSlotsLeft(
  lanes: readonly LaneAllowance[],
  claims: readonly Pick<ClaimedStep, "lane">[],
): boolean {
  const byLane = Map.groupBy(claims, ({ lane }) => lane);
  return lanes.some(
    ({ lane, slots, isShared }) => isShared && slots > 0 && byLane.get(lane)?.length === slots,
  );
}
