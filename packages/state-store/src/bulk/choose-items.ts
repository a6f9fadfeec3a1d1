import type { Database } from "../postgres/query.ts";
import { listTasks, type TaskFilter } from "../read/list-tasks.ts";

/** A task as it was when it was chosen. */
export interface ChosenTask {
  readonly taskId: string;
  readonly version: number;
}

/** How many tasks one operation may have. */
export const mostBulkItems = 100_000;
/** So many tasks a page looks at and returns at most, and so many pages are looked at. */
const page = 5_000;
const pages = 100;

/**
 * The tasks that match, oldest first. Null: they are more than an operation may have, or the filter has the store
 * look at more than half a million.
 */
export async function chooseItems(
  db: Database,
  filter: TaskFilter,
): Promise<readonly ChosenTask[] | null> {
  const chosen: ChosenTask[] = [];
  let after: string | null = null;
  for (let looked = 0; looked < pages; looked += 1) {
    const found = await listTasks(db, { ...filter, after, most: page });
    for (const { taskId, version } of found.items) chosen.push({ taskId, version });
    if (chosen.length > mostBulkItems) return null;
    after = found.next;
    if (after === null) return chosen.toReversed();
  }
  return null;
}
