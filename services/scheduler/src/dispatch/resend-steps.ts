import type { Broker } from "@holdfast/messaging";
import { type Clock, type Failpoint, failureLog, type Logger } from "@holdfast/runtime";
import type { ClaimedStep, SchedulerStore } from "@holdfast/state-store";
import type { SchedulerMeasures } from "../metrics/scheduler-measures.ts";
import type { Observer } from "../observer.ts";
import { heldRequests, resendAfter, unconfirmedRequests } from "../state/requests.ts";
import { nextWake } from "../state/scheduler-state.ts";

interface ResendDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "stageDueSteps" | "takeUnconfirmedSteps" | "applyPauses">;
  readonly dispatch: (
    claims: readonly ClaimedStep[],
    claimedAt: number,
    how: { readonly isResend: boolean },
  ) => Promise<void>;
  /** Is called when there may be steps to claim. */
  readonly wake: () => void;
  /** Is called when there are notifications to send. */
  readonly notify: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  /** The longest delay between two rounds, in milliseconds. */
  readonly maxDelay: number;
  readonly measures: Pick<SchedulerMeasures, "resent">;
}

/** How many lost requests the store hands out at a time. */
const batch = 200;
/** Milliseconds. An earlier round would find nothing new. */
const minDelay = 50;

/**
 * One round: stages steps whose delay is over, and publishes requests again whose confirm was not
 * recorded in time, because the Scheduler that claimed them may be dead. It also looks for due
 * steps, notifications and pauses that other processes left. Resolves to the delay until the next
 * round.
 */
export function resendSteps(deps: ResendDependencies): () => Promise<number> {
  const { store, state, see, dispatch, notify, clock, log, failpoint, maxDelay } = deps;
  const { requests } = state;
  // While the broker blocks its publishers, each round resends the same steps; the metric counts
  // all.
  const resends = failureLog(clock);

  const resend = async (): Promise<void> => {
    for (let taken = batch; taken === batch; ) {
      const takenAt = clock.now();
      // A request that is being built, or waits for its publisher confirm, here is not lost.
      const held = heldRequests(requests);
      const lost = await store.takeUnconfirmedSteps({ resendAfter: resendAfter(requests), held });
      taken = lost.length;
      const isDue = lost.length > 0 && resends.failed("lost") !== null;
      if (isDue) log.warn({ steps: lost.length }, "requests resent");
      if (lost.length > 0) failpoint("scheduler.resending", () => lost.map(({ name }) => name));
      if (lost.length > 0) deps.measures.resent(lost.length);
      await dispatch(lost, takenAt, { isResend: true });
    }
  };

  return async () => {
    const staged = await store.stageDueSteps();
    const { lanes, nextIn, resendIn, hasDue } = staged;
    if (staged.hasNotifications) notify();
    const moved = staged.hasPauses ? await store.applyPauses() : 0;
    if (hasDue || lanes.length > 0 || moved > 0) {
      if (staged.hasBreakers) see({ kind: "dueByBreakers" });
      else deps.wake();
    }
    if (requests.isResendWanted || (resendIn !== null && resendIn <= 0)) {
      see({ kind: "resending" });
      await resend();
    }
    if (moved > 0) return minDelay;
    return Math.max(minDelay, Math.min(maxDelay, nextIn ?? maxDelay, resendIn ?? maxDelay));
  };
}

interface ConfirmDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "confirmRequests">;
  readonly clock: Pick<Clock, "now">;
  readonly failpoint: Failpoint;
}

/**
 * One round: records the confirms of requests that no Agent has answered yet, so that no
 * other Scheduler takes them for lost. Asks the store for nothing when there are none.
 */
export const confirmSteps =
  ({ store, state, see, clock, failpoint }: ConfirmDependencies) =>
  async (): Promise<number> => {
    const due = unconfirmedRequests(state.requests, clock.now());
    if (due.length > 0) {
      const names = () => due.map(({ name }) => name);
      failpoint("scheduler.confirming", names);
      await store.confirmRequests(due);
      failpoint("scheduler.confirmed", names);
    }
    see({ kind: "confirmsRecorded", claims: due });
    return nextWake(state, "confirm", clock.now());
  };

interface LossDependencies extends Observer {
  readonly store: Pick<SchedulerStore, "unconfirmSteps">;
  readonly log: Logger;
}

/**
 * What to do about a broker that has lost its messages: publish again what was in flight, at once
 * and not when its time is over. One Scheduler that notices suffices for all; several do no harm,
 * for it is the same request.
 */
export const resendLost = ({
  store,
  see,
  log,
}: LossDependencies): Parameters<Broker["keepCanaryQueue"]>[1] => ({
  // Confirmed, but not recorded: with the connection goes all that spoke for the broker having it.
  disconnected: () => see({ kind: "disconnected" }),
  async missing() {
    see({ kind: "disconnected" });
    const steps = await store.unconfirmSteps();
    log.warn({ steps }, "broker is new: all requests in flight are published again");
    see({ kind: "brokerIsNew" });
  },
});
