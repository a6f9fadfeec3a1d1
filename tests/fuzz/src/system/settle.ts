import { setTimeout as sleep } from "node:timers/promises";
import { openTasks } from "./read-orders.ts";
import { fullQueues } from "./read-queues.ts";
import { resumeAll } from "./resume-all.ts";

interface Options {
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  readonly operationsUrl: () => string;
  /** Milliseconds. */
  readonly patience: number;
}

export interface Settled {
  /** Tasks that have not ended, with where they stand. */
  readonly open: readonly string[];
  /** Queues in which messages wait. */
  readonly queues: readonly string[];
}

const rest = 500;

/** Lifts all pauses and delays, and waits until every task has ended and every queue is empty, or for so long. */
export async function settle(options: Options): Promise<Settled> {
  const { stateStoreUrl, brokerUrl, operationsUrl, patience } = options;
  const giveUpAt = performance.now() + patience;
  for (;;) {
    // A task can be paused once more by what was under way.
    await resumeAll(operationsUrl(), stateStoreUrl).catch(() => {});
    const open = await openTasks(stateStoreUrl);
    const queues = await fullQueues(brokerUrl);
    if ((open.length === 0 && queues.length === 0) || performance.now() > giveUpAt)
      return { open, queues };
    await sleep(rest);
  }
}
