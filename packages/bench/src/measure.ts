import { setTimeout as sleep } from "node:timers/promises";
import type { NewTask, StateStore } from "@holdfast/state-store";
import { payload, threeSteps } from "./workflow.ts";

const newTask: NewTask = {
  tenant: "default",
  workflow: threeSteps.name,
  input: payload,
  priority: 0,
  replyTo: null,
  correlationId: null,
  idempotency: null,
  order: null,
};

const batch = 200;
const actor = "bench";

/** The system under measurement. */
export interface Bench {
  readonly store: Pick<StateStore, "submitTasks" | "findTask" | "countTasks">;
  /** Tells the Schedulers that something is due. */
  readonly hint: () => void;
}

/** Submits so many orders as fast as they are taken; resolves to how many a second were processed. */
export async function ordersPerSecond(orders: number, { store, hint }: Bench): Promise<number> {
  const countProcessed = async () => (await store.countTasks()).processed ?? 0;
  const before = await countProcessed();
  const startedAt = performance.now();
  for (let left = orders; left > 0; left -= batch) {
    const tasks = Array.from({ length: Math.min(batch, left) }, () => newTask);
    await store.submitTasks(tasks, { actor });
    hint();
  }
  while ((await countProcessed()) - before < orders) await sleep(50);
  return (orders / (performance.now() - startedAt)) * 1_000;
}

/** Milliseconds from the submission of each order until it is processed, one at a time; sorted. */
export async function loneOrders(orders: number, bench: Bench): Promise<readonly number[]> {
  const times: number[] = [];
  for (let order = 0; order < orders; order += 1) times.push(await loneOrder(bench));
  return times.toSorted((a, b) => a - b);
}

async function loneOrder({ store, hint }: Bench): Promise<number> {
  const startedAt = performance.now();
  const [submitted] = await store.submitTasks([newTask], { actor });
  if (submitted?.kind !== "created") throw new Error("The order was not taken");
  hint();
  for (;;) {
    const task = await store.findTask({ taskId: submitted.taskId, tenant: "default" });
    if (task?.processState === "processed") return performance.now() - startedAt;
    await sleep(1);
  }
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
