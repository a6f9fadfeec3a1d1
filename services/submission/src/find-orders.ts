import type { StateStore, TaskRecord } from "@holdfast/state-store";
import { type OrderResource, orderResource } from "./order-resource.ts";
import { Problem } from "./problem.ts";

/** Orders as they stand in the state store. */
export interface Orders {
  /** Throws a 404 when there is no such order. */
  find(id: string): Promise<TaskRecord>;
  /** The same, as its customer's application sees it. */
  show(id: string): Promise<OrderResource>;
}

export function findOrders(store: Pick<StateStore, "findTask" | "findWorkflow">): Orders {
  const find = async (id: string): Promise<TaskRecord> => {
    const task = isTaskId(id) ? await store.findTask({ taskId: id, tenant: "default" }) : null;
    if (task === null) throw new Problem(404, "order.unknown", `There is no order ${id}.`);
    return task;
  };
  return {
    find,
    async show(id) {
      const task = await find(id);
      const stored = await store.findWorkflow(task.workflow);
      if (stored === null) {
        throw new Problem(
          500,
          "workflow.unusable",
          "The stored definition of its workflow cannot be used: see holdfast doctor.",
        );
      }
      return orderResource(task, stored.definition);
    },
  };
}

const isTaskId = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
