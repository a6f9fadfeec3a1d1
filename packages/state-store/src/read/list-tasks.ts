import type { Fairness, Goal, Instant, Priority, TaskState } from "@holdfast/domain";
import { firstIdAt } from "../postgres/id-ranges.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { instant } from "./read-task.ts";

/** Which tasks are asked for; what is null does not matter. */
export interface TaskFilter {
  readonly tenant: string;
  /** Names with their versions. */
  readonly workflows: readonly string[] | null;
  readonly state: TaskState | null;
  readonly faultCode: string | null;
  readonly correlationId: string | null;
  readonly createdFrom: Instant | null;
  readonly createdBefore: Instant | null;
  /** The id after which the last page ended. */
  readonly after: string | null;
  /** How many, at most. */
  readonly most: number;
}

/** A task in a list. Instants are ISO 8601, in UTC with a Z. */
export interface ListedTask {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: Priority;
  /** Null: it shares its band with others by nothing but time. */
  readonly fairness: Fairness | null;
  readonly faultCode: string | null;
  readonly correlationId: string | null;
  readonly paused: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

export interface TaskPage {
  readonly items: readonly ListedTask[];
  /** Where the next page begins; null: this is the last one. A page may have few items, or none, and not be the last. */
  readonly next: string | null;
}

/** Tasks that one page looks at, whether they match or not: it costs no more in a store of any size. */
const scan = 5_000;

const findTasks = query(
  "find-tasks",
  rowsOf<{ items: readonly ListedTask[]; lastId: string | null }>(),
);

/** Finds tasks, newest first. Their ids order by time, so no index is needed but that of the ids. */
export async function listTasks(db: Database, filter: TaskFilter): Promise<TaskPage> {
  const { createdFrom, createdBefore, after, ...rest } = filter;
  const end = firstIdAt(createdBefore ?? Number.POSITIVE_INFINITY);
  const before = after !== null && after < end ? after : end;
  const from = firstIdAt(createdFrom ?? 0);
  const [page] = await findTasks(db, { ...rest, before, from, scan });
  const items = page!.items.map((item) => ({
    ...item,
    createdAt: instant(item.createdAt) ?? item.createdAt,
    updatedAt: instant(item.updatedAt) ?? item.updatedAt,
    finishedAt: instant(item.finishedAt),
  }));
  return { items, next: page!.lastId };
}
