import type { TaskIdPage } from "../read/list-tasks.ts";

/** A task as it was when it was chosen. */
export interface ChosenTask {
  readonly taskId: string;
  readonly version: number;
}

/** How many tasks one operation may have. */
export const mostBulkItems = 100_000;
/** How many tasks a page looks at, and returns at most. */
export const chosenAtATime = 5_000;
/** How many pages are looked at: half a million tasks. */
const pages = 100;

/**
 * The tasks of all pages, oldest first. Null: they are more than an operation may have, or the filter has the store
 * look at too many.
 */
export async function chooseItems(
  listPage: (after: string | null) => Promise<TaskIdPage>,
  most: number = mostBulkItems,
): Promise<readonly ChosenTask[] | null> {
  const chosen: ChosenTask[] = [];
  let after: string | null = null;
  for (let looked = 0; looked < pages; looked += 1) {
    const { ids, next }: TaskIdPage = await listPage(after);
    for (const [taskId, version] of ids) chosen.push({ taskId, version });
    if (chosen.length > most) return null;
    after = next;
    if (after === null) return chosen.toReversed();
  }
  return null;
}
