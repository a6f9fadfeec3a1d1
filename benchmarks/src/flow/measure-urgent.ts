import type { Priority } from "@holdfast/domain";
import { newTask, percentile } from "@holdfast/load";
import { watched } from "../finish-listener.ts";
import { newOrder } from "../order.ts";
import type { Holdfast } from "../start-holdfast.ts";
import { threeSteps } from "../workflow.ts";

export interface UrgentOptions {
  /** How many urgent tasks, one after the other. */
  readonly orders: number;
  /** How many normal tasks are due meanwhile. */
  readonly pending: number;
}

export interface Urgent {
  readonly idleP99Ms: number;
  readonly urgentP99Ms: number;
  readonly urgentP99Ratio: number;
}

const batch = 200;
const actor = "bench";

const task = (priority: Priority, correlationId: string | null = null) => ({
  ...newTask({ workflow: threeSteps.name, input: { ...newOrder() } }),
  priority,
  correlationId,
});

/**
 * How long urgent tasks take when nothing else is to be done, and behind a backlog of normal ones.
 */
export async function measureUrgent(
  { store, hint, finished }: Pick<Holdfast, "store" | "hint" | "finished">,
  { orders, pending }: UrgentOptions,
): Promise<Urgent> {
  const one = async (): Promise<number> => {
    const submittedAt = performance.now();
    const [submitted] = await store.submitTasks([task("urgent", watched)], { actor });
    hint();
    if (submitted?.kind !== "created") throw new Error("The task was not taken");
    await finished(submitted.taskId);
    return performance.now() - submittedAt;
  };
  const inTurn = async (): Promise<number> => {
    const times: number[] = [];
    while (times.length < orders) times.push(await one());
    return percentile(times, 0.99);
  };

  await inTurn();
  const idleP99Ms = await inTurn();
  for (let left = pending; left > 0; left -= batch) {
    const tasks = Array.from({ length: Math.min(batch, left) }, () => task("normal"));
    await store.submitTasks(tasks, { actor });
    hint();
  }
  const urgentP99Ms = await inTurn();
  // First steps are done before the others: what is being processed waits for its later ones.
  const { pending: begun = 0, processing = 0 } = await store.countTasks();
  if (begun + processing === 0) {
    throw new Error("The backlog was done before the urgent tasks: give it more with --pending");
  }
  return { idleP99Ms, urgentP99Ms, urgentP99Ratio: urgentP99Ms / idleP99Ms };
}
