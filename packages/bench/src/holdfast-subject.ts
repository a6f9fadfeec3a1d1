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
  { store, hint, findUnfinished }: Pick<Holdfast, "store" | "hint" | "findUnfinished">,
  workflow = threeSteps.name,
): Subject {
  /** In the order of their submission. */
  const open = new Set<string>();

  const submit = async (count: number): Promise<void> => {
    for (const some of batchesOfOrders(count, batch)) {
      const tasks = some.map((order) => taskOf(order, workflow));
      const results = await store.submitTasks(tasks, { actor });
      hint();
      for (const one of results) if (one.kind === "created") open.add(one.taskId);
    }
  };

  /** Looks at the oldest: the others are hardly done before them. */
  const look = async (): Promise<void> => {
    const oldest = [...open].slice(0, batch);
    const unfinished = new Set(await findUnfinished(oldest));
    for (const taskId of oldest) if (!unfinished.has(taskId)) open.delete(taskId);
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
        for (; open.size > 0; await sleep(10)) await look();
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
    one: async () => void (await processLoneOrder({ store, hint, findUnfinished })),
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
const restBeforeAsking = 10;

/** Submits an order and asks for it until it is processed. */
export async function processLoneOrder({
  store,
  hint,
  findUnfinished,
}: Pick<Holdfast, "store" | "hint" | "findUnfinished">): Promise<LoneOrder> {
  const submitted = now();
  const [result] = await store.submitTasks([taskOf(newOrder())], { actor });
  hint();
  const accepted = now();
  if (result?.kind !== "created") throw new Error("The order was not taken");
  const { taskId } = result;
  await sleep(restBeforeAsking);
  for (;;) {
    const [unfinished] = await findUnfinished([taskId]);
    if (unfinished === undefined) return { taskId, submitted, accepted, seen: now() };
    await sleep(1);
  }
}
