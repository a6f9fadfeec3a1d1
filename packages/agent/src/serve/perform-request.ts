import type { Clock, Logger } from "@holdfast/runtime";
import { attemptStep, type Outcome } from "../attempt/attempt-step.ts";
import type { ResiliencePolicy } from "../attempt/resilience-policy.ts";
import type { BoundOperation } from "../contract/operations.ts";
import type { Batching } from "./batching.ts";
import {
  type AttemptSignals,
  logFieldsOf,
  marginOf,
  type ReceivedRequest,
} from "./received-request.ts";
import { noSlot, untrustedRequester } from "./refusals.ts";
import { semaphore } from "./semaphore.ts";

interface Options {
  readonly operations: ReadonlyMap<string, BoundOperation>;
  readonly resiliencePolicy: ResiliencePolicy;
  readonly batching: Batching;
  /** How many requests are performed at the same time. */
  readonly concurrency: number;
  /** The broker users whose requests are performed; null: all. */
  readonly requesters: ReadonlySet<string> | null;
  readonly log: Pick<Logger, "error">;
  readonly clock: Clock;
}

/** Performs requests, so many at a time. Resolves to what to answer; null: nothing, the deadline has passed. */
export function requestPerformer(options: Options) {
  const { operations, resiliencePolicy, batching, concurrency, requesters, log, clock } = options;
  const slots = semaphore(concurrency, clock);
  return async (
    { request, delivery }: ReceivedRequest,
    signals: AttemptSignals,
  ): Promise<Outcome | null> => {
    const requester = delivery.userId;
    if (requesters?.has(requester ?? "") === false) {
      log.error({ ...logFieldsOf(request), requester }, "request refused");
      return untrustedRequester(requester);
    }
    const release = await slots.acquire(signals.stop, request.workMs - marginOf(request));
    if (release === null && !signals.stop.aborted) return noSlot;
    const measured = batching.begin();
    const attempting = attemptStep(request, {
      operation: operations.get(request.operation),
      resiliencePolicy,
      onUnexpected: (err) => log.error({ ...logFieldsOf(request), err }, "handler threw"),
      ...signals,
    });
    const outcome = await attempting.finally(() => release?.());
    if (outcome?.kind === "completed") measured();
    return outcome;
  };
}
