import { setTimeout as sleep } from "node:timers/promises";
import type { NewTask } from "@holdfast/state-store";
import { batchesOfOrders, newOrder, type Order } from "./order.ts";
import type { Holdfast } from "./start-holdfast.ts";
import type { Subject } from "./subject.ts";
import { now } from "./trace/moment.ts";
import { threeSteps } from "./workflow.ts";

/** What is submitted for an order. */
export const taskOf = (order: Order, workflow = threeSteps.name): NewTask => ({
  tenant: "default",
  workflow,
  input: { ...order },
  priority: 0,
  replyTo: null,
  correlationId: null,
  idempotency: null,
  order: null,
});

/** As many as submission puts into one transaction at most. */
const batch = 200;
const actor = "bench";

/** Holdfast as something to be measured. The store is asked what has become of the orders. */
export function holdfastSubject(
  { store, hint }: Pick<Holdfast, "store" | "hint">,
  workflow = threeSteps.name,
): Subject {
  const countProcessed = async () => (await store.countTasks()).processed ?? 0;
  const submit = async (orders: readonly Order[]) => {
    const tasks = orders.map((order) => taskOf(order, workflow));
    await store.submitTasks(tasks, { actor });
    hint();
  };
  return {
    async backlog(orders) {
      const before = await countProcessed();
      for (const some of batchesOfOrders(orders, batch)) await submit(some);
      while ((await countProcessed()) - before < orders) await sleep(50);
    },
    async inFlight(orders, width) {
      const before = await countProcessed();
      let submitted = 0;
      for (;;) {
        const processed = (await countProcessed()) - before;
        if (processed >= orders) return;
        const free = Math.min(width - (submitted - processed), orders - submitted);
        for (const some of batchesOfOrders(free, batch)) await submit(some);
        submitted += free;
        await sleep(5);
      }
    },
    one: async () => void (await processLoneOrder({ store, hint })),
  };
}

/** An order by itself. Instants are milliseconds since 1970. */
export interface LoneOrder {
  readonly taskId: string;
  readonly submitted: number;
  /** Its submission is committed. */
  readonly accepted: number;
  /** It was seen to be processed. */
  readonly seen: number;
}

/** Milliseconds: no order is done earlier, and asking takes time from those who work on it. */
const restBeforeAsking = 5;

/** Submits an order and asks for it until it is processed. */
export async function processLoneOrder({
  store,
  hint,
}: Pick<Holdfast, "store" | "hint">): Promise<LoneOrder> {
  const submitted = now();
  const [result] = await store.submitTasks([taskOf(newOrder())], { actor });
  hint();
  const accepted = now();
  if (result?.kind !== "created") throw new Error("The order was not taken");
  const { taskId } = result;
  await sleep(restBeforeAsking);
  for (;;) {
    const task = await store.findTask({ taskId, tenant: "default" });
    if (task?.processState === "processed") return { taskId, submitted, accepted, seen: now() };
    await sleep(1);
  }
}
