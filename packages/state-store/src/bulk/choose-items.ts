import { repeatable } from "../postgres/operation.ts";
import { listTaskIds, type TaskFilter, type TaskIdPage } from "../read/list-tasks.ts";
import type { StoreContext } from "../store-context.ts";

/** A task as it was when it was chosen. */
export interface ChosenTask {
  readonly taskId: string;
  readonly version: number;
}

/** How many tasks one operation may have. */
export const mostBulkItems = 100_000;
/** How many tasks a page looks at, and returns at most. */
const chosenAtATime = 5_000;
/** How many pages are looked at: half a million tasks. */
const pages = 100;

const listPage = repeatable(listTaskIds);

/** Chooses the tasks that match, as `chooseItems` does. */
export const chooseTasks = (
  context: StoreContext,
  tasks: TaskFilter,
): Promise<readonly ChosenTask[] | null> =>
  chooseItems((after) => listPage(context)({ ...tasks, after, most: chosenAtATime }));

/**
 * The tasks of all pages, oldest first. Null: they are more than an operation may have, or the
 * filter has the store look at too many.
 */
export async function chooseItems(
  list: (after: string | null) => Promise<TaskIdPage>,
  most: number = mostBulkItems,
): Promise<readonly ChosenTask[] | null> {
  const chosen: ChosenTask[] = [];
  let after: string | null = null;
  for (let looked = 0; looked < pages; looked += 1) {
    const { ids, next }: TaskIdPage = await list(after);
    for (const [taskId, version] of ids) chosen.push({ taskId, version });
    if (chosen.length > most) return null;
    after = next;
    if (after === null) return chosen.toReversed();
  }
  return null;
}
