import { type Clock, sleep } from "@holdfast/runtime";
import type { Outcome } from "../attempt/attempt-step.ts";
import { marginOf, type ReceivedRequest } from "./received-request.ts";

/**
 * Milliseconds. Long enough to spare the Schedulers, short enough for an operator who corrects the
 * setting.
 */
const refusedFor = 5_000;

/**
 * The answer to a request of a user that this Agent does not trust. The Scheduler requeues the step
 * and undoes nothing: if the setting is wrong, tasks wait until an operator corrects it. The
 * Scheduler refuses the reply to a forged request, because it waits for none, and keeps it.
 */
export const untrustedRequester = (requester: string | undefined): Outcome => ({
  kind: "failed",
  code: "agent.request_refused",
  message:
    requester === undefined
      ? "The request names no broker user: the Scheduler is of a release that did not, or REQUEST_IDENTITY should be trusted."
      : `SCHEDULER_USERS does not allow requests of the broker user ${requester}.`,
  transient: true,
  attempted: false,
  effect: "none",
  retryAfterMs: refusedFor,
});

/** The answer to a request that got no slot: it was not tried, so it is no failure of its step. */
export const noSlot: Outcome = {
  kind: "failed",
  code: "agent.no_slot",
  message: "All slots of the Agent were busy until shortly before the deadline",
  transient: true,
  attempted: false,
  effect: "none",
};

/**
 * The answer to a request that an instance holds when its breaker opens, and has not begun. It does
 * not say when to come back: another instance may be well.
 */
export const breakerOpen: Outcome = {
  kind: "failed",
  code: "agent.circuit_open",
  message: "The remote service fails for this instance, which gives back what it has not begun",
  transient: true,
  attempted: false,
  effect: "none",
};

/**
 * Whether nothing was called: the contract does not allow the request, or the Agent cannot perform
 * it now.
 */
export const isRefusal = (outcome: Outcome): outcome is Extract<Outcome, { kind: "failed" }> =>
  outcome.kind === "failed" && outcome.attempted === false;

/** Milliseconds for which a refusal waits that the Scheduler may give to another Agent. */
const briefly = 100;

/**
 * Acknowledges a request before its refusal is sent, on the same channel: no other instance carries
 * the request out after the Scheduler learned that it had no effect. False when other requests of
 * the same message do not finish in time, so that the broker may deliver all of them again. What a
 * retry may repair waits only briefly: its step should not wait for the calls of others.
 */
export async function acknowledgeBeforeRefusal(
  { request, delivery }: ReceivedRequest,
  { transient }: { readonly transient: boolean },
  clock: Clock,
): Promise<boolean> {
  delivery.ack();
  const inTime = new AbortController();
  const settled = delivery.whenAcknowledged().then(() => true);
  const margin = marginOf(request);
  const timeout = transient ? Math.min(briefly, margin / 2) : request.workMs - margin;
  const tooLate = sleep(clock, timeout, inTime.signal);
  return Promise.race([settled, tooLate.then(() => false)]).finally(() => inTime.abort());
}
