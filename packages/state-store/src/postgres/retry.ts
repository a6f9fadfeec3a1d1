import { setTimeout as sleep } from "node:timers/promises";
import { connectWithin } from "./pool.ts";
import { toStoreFault } from "./postgres-error.ts";

/** Enough for connections that break now and then. During an outage the caller retries. */
const maxAttempts = 8;
const longestDelay = 100;
/** No attempt begins later than so many milliseconds after the first: a connect that times out takes as long. */
export const timeout = connectWithin;
const retryable = new Set(["store.contention", "store.unavailable"]);

/**
 * Retries work for a short while after a deadlock, a lock timeout or a lost connection. The work must be safe to
 * repeat. Throws every other error, and the last one, as a `Fault`.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const fault = toStoreFault(error);
      const isLast = attempt === maxAttempts || performance.now() - begun > timeout;
      if (!retryable.has(fault.code) || isLast) throw fault;
      await sleep(Math.random() * Math.min(longestDelay, 10 * 2 ** attempt));
    }
  }
}
