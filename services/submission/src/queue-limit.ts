import { performance } from "node:perf_hooks";

interface QueueBounds {
  /** How many tasks may wait when nothing else is known. */
  readonly most: number;
  /** The part of the time since the last call in which the event loop was busy, 0 to 1. */
  readonly utilization?: () => number;
}

/** How many tasks may wait for the state store at the moment. */
export interface QueueLimit {
  readonly current: number;
  /** Counts a request that was refused because the queue was full. */
  refused(): void;
  /** Counts the tasks of one transaction, and sets the limit anew. */
  written(tasks: number): void;
}

/** The part of the time from which on the event loop is the bottleneck, and not the state store. */
const saturated = 0.9;
/** A shorter queue would leave the state store idle between two transactions. */
const leastPart = 1 / 4;

/**
 * Shortens the queue by the part of the requests that are refused, while this process is busy all
 * the time. Then refusals take the time that accepted tasks need, and the same queue lasts longer:
 * with a shorter one accepted tasks are answered as fast as before the overload. Where the state
 * store is the bottleneck the queue stays: there a shorter one would only make smaller
 * transactions.
 */
export function queueLimit({ most, utilization = loopUtilization() }: QueueBounds): QueueLimit {
  const least = Math.max(1, Math.round(most * leastPart));
  let current = most;
  let refused = 0;
  return {
    get current() {
      return current;
    },
    refused: () => void (refused += 1),
    written(tasks) {
      const accepted = tasks / Math.max(1, tasks + refused);
      current = utilization() < saturated ? most : Math.max(least, Math.round(most * accepted));
      refused = 0;
    },
  };
}

function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
