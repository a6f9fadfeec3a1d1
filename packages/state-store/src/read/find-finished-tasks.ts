import { monthsOf } from "../postgres/id-ranges.ts";
import { type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = queryAmong("find-finished-tasks", rowsOf<{ taskId: string }>());

/** Those of these tasks that have ended. */
export async function findFinishedTasks(
  db: Database,
  { taskIds }: { readonly taskIds: readonly string[] },
): Promise<readonly string[]> {
  const found = await find(db, monthsOf(taskIds), { taskIds: [...taskIds] });
  return found.map(({ taskId }) => taskId);
}
