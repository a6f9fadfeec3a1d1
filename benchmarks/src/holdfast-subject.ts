import { setTimeout as sleep } from "node:timers/promises";
import { newTask } from "@holdfast/load";
import type { NewTask } from "@holdfast/state-store";
import { watched } from "./finish-listener.ts";
import { batchesOfOrders, newOrder, type Order } from "./order.ts";
import type { Holdfast } from "./start-holdfast.ts";
import type { Subject } from "./subject.ts";
import { now } from "./trace/moment.ts";
import { threeSteps } from "./workflow.ts";

/** What is submitted for an order. */
export const taskOf = (order: Order, workflow = threeSteps.name): NewTask =>
  newTask({ workflow, input: { ...order } });

/** Orders that submission puts into one transaction at most. */
const batch = 200;
const actor = "bench";

type Measured = Pick<Holdfast, "store" | "hint" | "findUnfinished" | "finished">;

/** Holdfast as something to be measured. The store is asked what has become of the orders. */
export function holdfastSubject(holdfast: Measured, workflow = threeSteps.name): Subject {
  const { store, hint, findUnfinished } = holdfast;
  /** Open orders in the order of their submission. */
  const open = new Set<string>();

  const submit = async (count: number): Promise<void> => {
    for (const some of batchesOfOrders(count, batch)) {
      const tasks = some.map((order) => taskOf(order, workflow));
      const results = await store.submitTasks(tasks, { actor });
      hint();
      for (const one of results) if (one.kind === "created") open.add(one.taskId);
    }
  };

  /**
   * Looks at the oldest: the others are hardly done before them. Goes on while it finds all of them
   * done.
   */
  const look = async (): Promise<void> => {
    const oldest = [...open].slice(0, batch);
    const unfinished = new Set(await findUnfinished(oldest));
    for (const taskId of oldest) if (!unfinished.has(taskId)) open.delete(taskId);
    if (unfinished.size === 0 && open.size > 0) await look();
  };

  /** Throws if any of them ended otherwise than it should. */
  const allProcessed = async (orders: number, act: () => Promise<void>): Promise<void> => {
    const before = await store.countTasks();
    await act();
    const { processed = 0 } = await store.countTasks();
    if (processed - (before.processed ?? 0) !== orders) throw new Error("Not all are processed");
  };

  return {
    backlog: (orders) =>
      allProcessed(orders, async () => {
        await submit(orders);
        // Asking is work for the store that only this benchmark causes: seldom, until the end is
        // near.
        for (; open.size > 0; await sleep(open.size > batch ? 50 : 10)) await look();
      }),
    inFlight: (orders, width) =>
      allProcessed(orders, async () => {
        for (let submitted = 0; submitted < orders || open.size > 0; await sleep(5)) {
          await look();
          const free = Math.min(width - open.size, orders - submitted);
          await submit(free);
          submitted += free;
        }
      }),
    one: async () => void (await processLoneOrder(holdfast)),
  };
}

/** An order by itself. Instants are milliseconds since 1970. */
export interface LoneOrder {
  readonly taskId: string;
  readonly submitted: number;
  /** Its submission is committed. */
  readonly accepted: number;
  /** The store's notification that it is processed arrived. */
  readonly seen: number;
}

/** Submits an order and waits until it is processed. */
export async function processLoneOrder({ store, hint, finished }: Measured): Promise<LoneOrder> {
  const order = { ...taskOf(newOrder()), correlationId: watched };
  const submitted = now();
  const [result] = await store.submitTasks([order], { actor });
  hint();
  const accepted = now();
  if (result?.kind !== "created") throw new Error("The order was not taken");
  const { taskId } = result;
  await finished(taskId);
  return { taskId, submitted, accepted, seen: now() };
}
