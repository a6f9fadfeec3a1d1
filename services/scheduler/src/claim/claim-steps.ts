import { bandOf } from "@holdfast/domain";
import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type {
  AppliedEvents,
  ClaimedStep,
  ClaimOptions,
  LaneCapacity,
  ProbeOptions,
  SchedulerStore,
} from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import { batchReserve } from "./batch-reserve.ts";
import type { ChosenCapacity } from "./choose-member.ts";
import { claimBatch, dispatchClaims } from "./dispatch-claims.ts";
import type { InFlightLimits } from "./in-flight-limits.ts";

interface Dependencies {
  readonly store: Pick<SchedulerStore, "claimDueSteps" | "claimProbe">;
  readonly limits: InFlightLimits;
  readonly dispatch: (claims: readonly ClaimedStep[], claimedAt: number) => Promise<void>;
  /** Called before each claim. */
  readonly onClaim: () => void;
  /** A hint to the other Schedulers that steps are due which this one does not claim. */
  readonly hint: () => void;
  /** Aborts when this Scheduler stops: it claims nothing more, for it could not wait for the replies. */
  readonly signal: AbortSignal;
  /** Has another round begin. */
  readonly wake: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly lockedBy: string;
  readonly relayAfter: () => number;
  /** Percent of the slots of a claim that are for the band `batch`, if a step of it is due. */
  readonly batchReserve: number;
  readonly measures: Pick<SchedulerMeasures, "claimed">;
}

/** Milliseconds. The relay looks for due steps, with the statement that it runs anyway, and wakes the claim. */
const delay = 60_000;

/**
 * Claims due steps, by rounds of its own and within the transactions of replies, and counts what is in flight:
 * no other module does. Claimed steps are dispatched without waiting for publisher confirms.
 */
export function claimSteps(deps: Dependencies) {
  const { store, limits, wake, hint, signal, clock, lockedBy, relayAfter } = deps;
  const dispatcher = dispatchClaims(deps);
  const options = claimOptions(deps);

  const claim = claimer(deps, dispatcher);
  const optionsAfter = (agents: readonly string[], areUrgent: boolean): ClaimOptions | null => {
    if (signal.aborted) return null;
    return areUrgent ? options.ofUrgent(agents) : options.ofAll(limits.capacity(agents));
  };

  return {
    /** One claim by itself, before it one of urgent steps if there were any lately. Resolves to the delay until the next, in milliseconds. */
    async round(): Promise<number> {
      await limits.refresh();
      if (limits.urgent.areExpected()) await claim(options.ofUrgent([]));
      const capacity = limits.capacity([]);
      const claims = await claim(options.ofAll(capacity));
      return claims.length === claimBatch || hasRoomLeft(capacity, claims) ? 0 : delay;
    },
    /**
     * Has `apply` apply one event of each of these Agents, and claim in the same transaction what they make due
     * and what waited for their slots. Events of urgent steps claim nothing but urgent ones, which is quicker.
     */
    async withEvents(
      agents: readonly string[],
      apply: (how: { readonly claim?: ClaimOptions }) => Promise<AppliedEvents>,
      { areUrgent = false }: { readonly areUrgent?: boolean } = {},
    ): Promise<AppliedEvents> {
      await limits.refresh();
      const haveOthersWaited = areUrgent && agents.some(limits.isFull);
      const how = optionsAfter(agents, areUrgent);
      const claimedAt = clock.now();
      const applied = await apply(how === null ? {} : { claim: how });
      settle(limits, agents, { ...applied, since: claimedAt });
      const claims = applied.claims ?? [];
      dispatcher.send(claims, claimedAt);
      // Of what is urgent for its Agent alone, nothing may have been claimed.
      const isLeft = areUrgent && claims.length < agents.length;
      if (signal.aborted) hint();
      else if (applied.claims === null || haveOthersWaited || isLeft) wake();
      return applied;
    },
    /** Claims the one step with which an open breaker is tried. False: there was none, or it is not due. */
    async probe(wish: Pick<ProbeOptions, "service" | "lanes">): Promise<boolean> {
      const claimedAt = clock.now();
      const probe = await store.claimProbe({ ...wish, lockedBy, relayAfter: relayAfter() });
      dispatcher.send(probe === null ? [] : [probe], claimedAt);
      return probe !== null;
    },
    /** Frees the slots of Agents whose events were applied without a claim. */
    freed(agents: readonly string[], applied: Pick<AppliedEvents, "outcomes">): void {
      // When that transaction began is unknown: any count may have overlapped it.
      settle(limits, agents, { ...applied, since: Number.NEGATIVE_INFINITY });
      wake();
    },
    /** Resolves when everything that was claimed has been dispatched. */
    drained: dispatcher.drained,
  };
}

/** Claims by itself, and sends what it claimed. */
const claimer =
  (
    { store, clock, failpoint }: Pick<Dependencies, "store" | "clock" | "failpoint">,
    dispatcher: Pick<ReturnType<typeof dispatchClaims>, "send">,
  ) =>
  async (how: ClaimOptions | null): Promise<readonly ClaimedStep[]> => {
    if (!how?.capacity.some(({ slots }) => slots > 0)) return [];
    const claimedAt = clock.now();
    failpoint("scheduler.claiming");
    const claims = await store.claimDueSteps(how);
    dispatcher.send(claims, claimedAt);
    return claims;
  };

const urgentBand = bandOf("urgent");

/** What a claim may take; null: nothing may be claimed. */
function claimOptions({
  limits,
  onClaim,
  lockedBy,
  relayAfter,
  batchReserve: percent,
}: Dependencies) {
  const reserve = batchReserve(percent);
  const optionsOf = (capacity: readonly LaneCapacity[]): ClaimOptions | null => {
    if (capacity.length === 0) return null;
    onClaim();
    return { lockedBy, capacity, relayAfter: relayAfter() };
  };
  return {
    ofAll: (capacity: readonly LaneCapacity[]) => optionsOf(capacity.map(reserve)),
    ofUrgent(freed: readonly string[]): ClaimOptions | null {
      const how = optionsOf(limits.urgentCapacity(freed));
      return how === null ? null : { ...how, upTo: urgentBand };
    },
  };
}

/** Whether a lane was given all that it may have, and other lanes of its Agent may not need their parts. */
function hasRoomLeft(
  capacity: readonly ChosenCapacity[],
  claims: readonly Pick<ClaimedStep, "lane">[],
): boolean {
  const byLane = Map.groupBy(claims, ({ lane }) => lane);
  return capacity.some(
    ({ lane, slots, isShared }) => isShared && slots > 0 && byLane.get(lane)?.length === slots,
  );
}

export type StepClaims = ReturnType<typeof claimSteps>;

function settle(
  limits: Pick<InFlightLimits, "settled">,
  agents: readonly string[],
  { outcomes, since }: Pick<AppliedEvents, "outcomes"> & { readonly since: number },
): void {
  agents.forEach((agent, index) => outcomes[index]?.applied && limits.settled(agent, since));
}
