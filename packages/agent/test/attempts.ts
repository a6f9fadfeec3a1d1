import type { StepRequest } from "@holdfast/contracts";
import { contract } from "@holdfast/workflow";
import { jest } from "@jest/globals";
import { attemptStep } from "../src/attempt/attempt-step.ts";
import { type ResilienceOptions, resiliencePolicy } from "../src/attempt/resilience-policy.ts";
import type { Handlers } from "../src/contract/handlers.ts";
import { bindOperations } from "../src/contract/operations.ts";
import { payments, request, unasked } from "./fixtures.ts";

export type PaymentsHandlers = Handlers<typeof payments>;

interface Trial {
  readonly handlers: Partial<PaymentsHandlers>;
  readonly asked?: Partial<StepRequest>;
  readonly signal?: AbortSignal;
  readonly stop?: AbortSignal;
  readonly guard?: ResilienceOptions;
  readonly onUnexpected?: (error: unknown) => void;
}

export const never: AbortSignal = new AbortController().signal;

/** One attempt by an Agent with these handlers. */
export function attempt({
  handlers,
  asked,
  signal = never,
  stop = signal,
  guard,
  onUnexpected = () => {},
}: Trial) {
  const all = { charge: unasked, refund: unasked, assess: unasked, ...handlers };
  const wanted = request(asked);
  return attemptStep(wanted, {
    operation: bindOperations(payments[contract], all).get(wanted.operation),
    resiliencePolicy: resiliencePolicy({ firstRest: 0, ...guard }),
    signal,
    stop,
    onUnexpected,
  });
}

/** A handler that throws these, one after the other, and then succeeds. */
export function throwing(...errors: readonly unknown[]): jest.Mock<PaymentsHandlers["charge"]> {
  const left = [...errors];
  return jest.fn<PaymentsHandlers["charge"]>(async () => {
    if (left.length > 0) throw left.shift();
    return { chargeId: "c-1" };
  });
}
