import { setTimeout as sleep } from "node:timers/promises";
import { openTasks } from "./read-orders.ts";
import { fullQueues } from "./read-queues.ts";
import { resumeAll } from "./resume-all.ts";

interface Options {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly operationsUrl: () => string;
  /**
   * Milliseconds in which something must move: a task, a step, an attempt, or how much waits in a
   * queue.
   */
  readonly timeout: number;
  /** Milliseconds in which all must have ended, whatever moves. */
  readonly limit: number;
}

export interface Settled {
  /** Tasks that have not ended, with where they stand. */
  readonly open: readonly string[];
  /** Queues in which messages wait. */
  readonly queues: readonly string[];
}

const interval = 500;

/**
 * Lifts all pauses and delays, and waits until every task has ended and every queue is empty, for
 * as long as they move.
 */
export async function settle(options: Options): Promise<Settled> {
  const { stateStoreUrl, brokerUrl, operationsUrl, timeout, limit } = options;
  const endAt = performance.now() + limit;
  let [last, movedAt] = ["", performance.now()];
  for (;;) {
    // A task can be paused once more by what was under way.
    await resumeAll(operationsUrl(), stateStoreUrl).catch(() => {});
    const open = await openTasks(stateStoreUrl);
    const queues = await fullQueues(brokerUrl);
    const now = performance.now();
    const seen = [...open, ...queues].toSorted().join("\n");
    if (seen !== last) [last, movedAt] = [seen, now];
    if (seen === "" || now - movedAt > timeout || now > endAt) return { open, queues };
    await sleep(interval);
  }
}
