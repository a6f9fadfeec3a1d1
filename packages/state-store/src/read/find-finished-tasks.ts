import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = queryAmong("find-finished-tasks", rowsOf<{ taskId: string }>());

/** Finds those of these tasks that have ended, or wait for an operator themselves. */
export const findFinishedTasks = repeatable(
  async (
    db,
    { taskIds }: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<readonly string[]> => {
    const found = await find(db, partitions.monthsOf(taskIds), { taskIds: [...taskIds] });
    return found.map(({ taskId }) => taskId);
  },
);
