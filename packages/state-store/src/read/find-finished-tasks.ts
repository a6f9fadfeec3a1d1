import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = queryAmong("find-finished-tasks", rowsOf<{ taskId: string }>());

/** Finds those of these tasks that have ended. */
export const findFinishedTasks =
  (partitions: ActivePartitions) =>
  async (
    db: Database,
    { taskIds }: { readonly taskIds: readonly string[] },
  ): Promise<readonly string[]> => {
    const found = await find(db, partitions.monthsOf(taskIds), { taskIds: [...taskIds] });
    return found.map(({ taskId }) => taskId);
  };
