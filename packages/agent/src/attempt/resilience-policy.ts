import { Fault, type Milliseconds, TransientFault } from "@holdfast/domain";
import { type Clock, systemClock } from "@holdfast/runtime";
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
} from "cockatiel";

export interface ResilienceOptions {
  /** How often a hiccup is tried again within one attempt; the policy of the step does the rest. */
  readonly retries?: number;
  /** Milliseconds before the first of them; doubles, with jitter. */
  readonly firstRest?: number;
  /** How many transient faults in a row open the circuit. */
  readonly failures?: number;
  /** Milliseconds that the remote service is left alone for. */
  readonly openFor?: number;
}

export interface ResiliencePolicy {
  /**
   * Calls, and calls again after a transient fault, for as long as the signal allows. Throws
   * `agent.circuit_open` instead of calling when the remote service is to be left alone.
   */
  call<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** How the remote service does, as far as this process can see. */
  health(): CircuitHealth;
  /**
   * Calls `listener` each time the breaker has opened or closed, until the result is called. An
   * instance whose policy has this consumes nothing while its breaker is open. Without it, the
   * instance goes on consuming, and answers each request with what `call` throws.
   */
  onChange?(listener: () => void): () => void;
}

export interface CircuitHealth {
  readonly breaker: "closed" | "open" | "half-open";
  /** Milliseconds for which the remote service is still left alone. */
  readonly openForMs: number;
}

const longestRest = 1_000;
/**
 * Milliseconds after which others may ask again while one call finds out whether the remote service
 * is back.
 */
const probeTime = 1_000;

/**
 * Guards one remote service: short retries, and a circuit breaker over all that its Agent does. A
 * permanent fault is an answer, and so is one that says when to come back: neither is it tried
 * again here nor does it count against the service.
 */
export function resiliencePolicy(
  options: ResilienceOptions = {},
  clock: Pick<Clock, "now"> = systemClock,
): ResiliencePolicy {
  const { retries = 2, firstRest = 100, failures = 10, openFor = 5_000 } = options;
  const again = retry(handleWhen(isFailing), {
    maxAttempts: retries,
    backoff: new ExponentialBackoff({ initialDelay: firstRest, maxDelay: longestRest }),
  });
  const circuit = circuitBreaker(handleWhen(isFailing), {
    // How long it stays open is decided below: the breaker would ask the wall clock.
    halfOpenAfter: Number.NEGATIVE_INFINITY,
    breaker: new ConsecutiveBreaker(failures),
  });
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  let openUntil = 0;
  circuit.onBreak(() => {
    openUntil = clock.now() + openFor;
    changed();
  });
  circuit.onReset(changed);

  const callOnce = async <T>(work: () => Promise<T>): Promise<T> => {
    const rest = openUntil - clock.now();
    if (circuit.state === CircuitState.Open && rest > 0) throw circuitOpen(rest);
    // The breaker would have all others wait for that one call.
    if (circuit.state === CircuitState.HalfOpen) throw circuitOpen(probeTime);
    try {
      return await circuit.execute(work);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? circuitOpen(openFor) : error;
    }
  };

  const health = (): CircuitHealth => {
    const openForMs = Math.max(0, Math.ceil(openUntil - clock.now()));
    if (circuit.state === CircuitState.Closed) return { breaker: "closed", openForMs: 0 };
    return openForMs > 0 ? { breaker: "open", openForMs } : { breaker: "half-open", openForMs: 0 };
  };

  return {
    call: (work, signal) => again.execute(() => callOnce(work), signal),
    health,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * A service that says when to come back does not fail: it paces its callers, and is not asked
 * before.
 */
const isFailing = (error: unknown): boolean =>
  !(error instanceof Fault) || (error instanceof TransientFault && error.retryAfter === null);

const circuitOpen = (retryAfter: Milliseconds) =>
  new TransientFault(
    "agent.circuit_open",
    "The remote service fails, and is left alone for a while",
    { retryAfter },
  );
