import { Fault } from "@holdfast/domain";
import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  wrap,
} from "cockatiel";

/** Milliseconds; the retry here only bridges hiccups, the policy of the step does the rest. */
const hiccup = { maxAttempts: 2, initialDelay: 100, maxDelay: 1_000 };
const breaker = { failures: 10, halfOpenAfter: 5_000 };

export interface Protection {
  /** Calls, and calls again after a transient fault, for as long as the signal allows. */
  call<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Milliseconds until the remote service may be called again; 0: now. */
  openFor(): number;
}

/**
 * Guards one remote service: short retries, and a circuit breaker over all that its Agent does. A
 * permanent fault is an answer: neither is it tried again nor does it count against the service.
 */
export function protection(): Protection {
  const isTransient = (error: unknown) => !(error instanceof Fault) || error.transient;
  const isHiccup = (error: unknown) =>
    isTransient(error) && !(error instanceof Fault && error.details["retryAfterMs"] !== undefined);
  const circuit = circuitBreaker(handleWhen(isTransient), {
    halfOpenAfter: breaker.halfOpenAfter,
    breaker: new ConsecutiveBreaker(breaker.failures),
  });
  let openedAt = 0;
  circuit.onBreak(() => {
    openedAt = performance.now();
  });
  const again = retry(handleWhen(isHiccup), {
    maxAttempts: hiccup.maxAttempts,
    backoff: new ExponentialBackoff(hiccup),
  });
  const policy = wrap(again, circuit);
  return {
    call: (work, signal) => policy.execute(work, signal),
    openFor() {
      if (circuit.state !== CircuitState.Open) return 0;
      return Math.max(1, Math.ceil(openedAt + breaker.halfOpenAfter - performance.now()));
    },
  };
}
