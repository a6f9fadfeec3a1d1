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
  { store, hint, countUnfinished }: Pick<Holdfast, "store" | "hint" | "countUnfinished">,
  workflow = threeSteps.name,
): Subject {
  const submit = async (count: number) => {
    for (const some of batchesOfOrders(count, batch)) {
      await store.submitTasks(some.map((order) => taskOf(order, workflow)), { actor });
      hint();
    }
  };
  /** Throws if any of them ended otherwise than it should. */
  const allProcessed = async (orders: number, act: () => Promise<void>) => {
    const before = await store.countTasks();
    await act();
    const { processed = 0 } = await store.countTasks();
    if (processed - (before.processed ?? 0) !== orders) throw new Error("Not all are processed");
  };
  return {
    backlog: (orders) =>
      allProcessed(orders, async () => {
        await submit(orders);
        while ((await countUnfinished()) > 0) await sleep(10);
      }),
    inFlight: (orders, width) =>
      allProcessed(orders, async () => {
        for (let submitted = 0; ; await sleep(5)) {
          const unfinished = await countUnfinished();
          if (unfinished === 0 && submitted === orders) return;
          const free = Math.min(width - unfinished, orders - submitted);
          await submit(free);
          submitted += free;
        }
      }),
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
