import type { Binder } from "../postgres/bind.ts";
import { listTaskIds, type TaskFilter } from "../read/list-tasks.ts";
import type { StoreContext } from "../store-context.ts";
import { applyBulkItems } from "./apply-items.ts";
import {
  findBulkOperation,
  findBulkWork,
  listBulkItems,
  listBulkOperations,
  stopBulkOperation,
} from "./bulk-operation.ts";
import type { BulkStore } from "./bulk-store.ts";
import { chooseItems, chosenAtATime, mostBulkItems } from "./choose-items.ts";
import { createBulkOperation, findBulkObstacle } from "./create-bulk-operation.ts";
import { judgeTasks } from "./judge-tasks.ts";
import { verifyBulkItems } from "./verify-items.ts";

/** All that the store does about bulk operations. */
export function bulkOperations(
  context: StoreContext,
  { repeatable, exactlyOnce }: Binder,
): Omit<BulkStore, "deleteOldBulkOperations"> {
  const list = repeatable(listTaskIds);
  const choose = (tasks: TaskFilter) =>
    chooseItems((after) => list({ ...tasks, after, most: chosenAtATime }));
  const judge = judgeTasks(context);
  const obstacle = repeatable(findBulkObstacle);
  const create = exactlyOnce(createBulkOperation);
  return {
    async forecastBulkOperation({ tasks, asked }) {
      const chosen = await choose(tasks);
      return chosen === null ? null : judge(chosen, asked);
    },
    async createBulkOperation({ tasks, wish }) {
      // Before the tasks are looked at, which is what costs.
      const found = await obstacle(wish);
      if (found !== null) return found;
      const items = await choose(tasks);
      if (items === null) return { kind: "tooManyTasks", most: mostBulkItems };
      return create({ wish, items });
    },
    listBulkOperations: repeatable(listBulkOperations),
    findBulkOperation: repeatable(findBulkOperation),
    listBulkItems: repeatable(listBulkItems),
    stopBulkOperation: exactlyOnce(stopBulkOperation),
    findBulkWork: () => repeatable(findBulkWork)({}),
    applyBulkItems: applyBulkItems(context),
    verifyBulkItems: verifyBulkItems(context),
  };
}
