import type { ChangedTask, ListedTask } from "../../api/types.ts";
import { matches, type TaskFilter } from "./filter.ts";

/** A page of tasks, newest first. */
export interface TaskPageData {
  readonly items: readonly ListedTask[];
  readonly next: string | null;
}

/**
 * The pages with the states of tasks that have changed. Pages without one of them stay the same
 * object.
 */
export function patchPages(
  pages: readonly TaskPageData[],
  changed: ReadonlyMap<string, ChangedTask>,
): readonly TaskPageData[] {
  const patched = pages.map((page) => {
    if (!page.items.some((task) => isOlder(task, changed.get(task.id)))) return page;
    return { ...page, items: page.items.map((task) => patchTask(task, changed.get(task.id))) };
  });
  return patched.some((page, index) => page !== pages[index]) ? patched : pages;
}

const isOlder = (task: ListedTask, change: ChangedTask | undefined): change is ChangedTask =>
  change !== undefined && change.version > task.version;

function patchTask(task: ListedTask, change: ChangedTask | undefined): ListedTask {
  if (!isOlder(task, change)) return task;
  const { state, version, updatedAt } = change;
  return { ...task, state, version, updatedAt };
}

/**
 * The pages with the newest tasks before them. Null: there are more new ones than a page holds, so
 * the list has to begin anew.
 */
export function prependNewest(
  pages: readonly TaskPageData[],
  newest: TaskPageData,
): readonly TaskPageData[] | null {
  const [first, ...others] = pages;
  if (first === undefined) return [newest];
  const known = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const added = newest.items.filter(({ id }) => !known.has(id));
  const overlaps = added.length < newest.items.length || newest.next === null;
  if (!overlaps) return null;
  const fresh = new Map(newest.items.map((task) => [task.id, task]));
  const renewed = [first, ...others].map((page) =>
    page.items.some(({ id }) => fresh.has(id))
      ? { ...page, items: page.items.map((task) => fresh.get(task.id) ?? task) }
      : page,
  );
  const [head, ...tail] = renewed;
  if (head === undefined) return null;
  return added.length === 0 ? renewed : [{ ...head, items: [...added, ...head.items] }, ...tail];
}

interface News {
  readonly changed: ReadonlyMap<string, ChangedTask>;
  readonly filter: TaskFilter;
  /** The newest task of the list. Ids are in the order of time. */
  readonly top: string;
}

/**
 * The new tasks that belong to the list and are not shown in it, after these have changed. The same
 * set: no others.
 */
export function newIdsAfter(
  before: ReadonlySet<string>,
  { changed, filter, top }: News,
): ReadonlySet<string> {
  const left = [...before].filter((id) => id > top && !changed.has(id));
  const added = [...changed.values()].filter(
    (task) => task.id > top && matches(filter, task) === true,
  );
  const next = new Set([...left, ...added.map(({ id }) => id)]);
  return next.size === before.size && [...next].every((id) => before.has(id)) ? before : next;
}
