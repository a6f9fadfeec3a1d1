import type { FastifyBaseLogger } from "fastify";

/** Milliseconds. */
const interval = 1_000;

/**
 * Logs requests that were answered 503: the first one at once, and then, once a second, how many there
 * were. Each by itself would fill the disk under overload.
 */
export function logRefusals(log: Pick<FastifyBaseLogger, "warn">): (err: unknown) => void {
  let refused = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (err) => {
    refused += 1;
    const now = performance.now();
    if (now - loggedAt < interval) return;
    log.warn({ err, refused }, "requests refused");
    refused = 0;
    loggedAt = now;
  };
}
