import { limits, StepRequest } from "@holdfast/contracts";
import {
  type ByteBudget,
  byteBudget,
  type Clock,
  type Logger,
  type Tracing,
} from "@holdfast/runtime";
import { attemptStep, type Outcome } from "../attempt/attempt-step.ts";
import type { ResiliencePolicy } from "../attempt/resilience-policy.ts";
import type { BoundOperation } from "../contract/operations.ts";
import type { Bundling } from "./bundling.ts";
import type { OutputRoom } from "./output-room.ts";
import type { PrefetchByBreaker } from "./prefetch-by-breaker.ts";
import {
  type AttemptSignals,
  isLong,
  logFieldsOf,
  marginOf,
  type ReceivedRequest,
} from "./received-request.ts";
import { breakerOpen, noSlot, untrustedRequester } from "./refusals.ts";
import { semaphore } from "./semaphore.ts";

interface PerformOptions {
  readonly operations: ReadonlyMap<string, BoundOperation>;
  readonly resiliencePolicy: ResiliencePolicy;
  readonly bundling: Bundling;
  readonly breaker: Pick<PrefetchByBreaker, "isOpen" | "succeeded">;
  /** How many requests are performed at the same time. */
  readonly concurrency: number;
  /** The broker users whose requests are performed; null: all. */
  readonly requesters: ReadonlySet<string> | null;
  /**
   * Room for the payloads of long requests that are performed, as bytes of JSON; all Agents of a
   * process share it.
   */
  readonly memory?: ByteBudget | undefined;
  readonly outputs: Pick<OutputRoom, "turn">;
  readonly log: Pick<Logger, "error">;
  readonly clock: Clock;
  readonly tracing: Tracing;
}

/** Bytes. Parsed, JSON takes up to fifteen times that. */
export const longRequestBytes = 4 * 1024 * 1024;

export interface RequestPerformer {
  /** Performs a request. Resolves to what to answer; null: nothing, the deadline has passed. */
  readonly perform: (received: ReceivedRequest, signals: AttemptSignals) => Promise<Outcome | null>;
  /** How many requests have a slot. */
  readonly busy: () => number;
  /** Ends the wait of all requests that have no slot. */
  readonly dismissWaiting: () => void;
}

/** Performs requests: at most `concurrency` at a time, and none while the breaker is open. */
export function requestPerformer(options: PerformOptions): RequestPerformer {
  const { operations, resiliencePolicy, bundling, breaker, requesters } = options;
  const { outputs, log, clock, tracing } = options;
  const { memory = byteBudget(longRequestBytes) } = options;
  const slots = semaphore(options.concurrency, clock);
  const perform = async (
    { request, delivery, span }: ReceivedRequest,
    signals: AttemptSignals,
  ): Promise<Outcome | null> => {
    const requester = delivery.userId;
    if (requesters?.has(requester ?? "") === false) {
      log.error({ ...logFieldsOf(request), requester }, "request refused");
      return untrustedRequester(requester);
    }
    if (breaker.isOpen()) return breakerOpen;
    const release = await slots.acquire(signals.stop, waitOf(request), delivery.isUrgent);
    if (breaker.isOpen() && !signals.stop.aborted) {
      release?.();
      return breakerOpen;
    }
    if (release === null && !signals.stop.aborted) return noSlot;
    const { agent, operation } = request;
    const turn = outputs.turn(`${agent} ${operation}`);
    if (turn !== null) await turn;
    using room = isLong(delivery) ? await memory.reserve(delivery.body.length, signals.stop) : null;
    // A long request has no room if it was stopped while it waited: then `attemptStep` does
    // nothing.
    const whole = room === null ? request : StepRequest.decode(delivery.body);
    signals.begun?.();
    const measured = bundling.begin();
    const attempting = attemptStep(whole, {
      operation: operations.get(operation),
      resiliencePolicy,
      trace: { tracing, parent: span?.context ?? null },
      onUnexpected: (err) => log.error({ ...logFieldsOf(request), err }, "handler threw"),
      ...signals,
    });
    const outcome = await attempting.finally(() => release?.());
    if (outcome?.kind === "completed") measured();
    if (outcome?.kind === "completed" || isAnswer(outcome)) breaker.succeeded();
    return outcome;
  };
  return { perform, busy: () => slots.taken, dismissWaiting: slots.dismiss };
}

const waitOf = (request: StepRequest): number =>
  Math.min(limits.longAttempt, request.workMs - marginOf(request));

/** A permanent fault is an answer, if the remote service was called. */
const isAnswer = (outcome: Outcome | null): boolean =>
  outcome?.kind === "failed" && outcome.attempted === true && !outcome.transient;
