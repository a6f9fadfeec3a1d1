import type { TaskState } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const select = query("count-tasks", rowsOf<{ processState: TaskState; tasks: number }>());

/** How many tasks there are in each state. */
export const countTasks = async (db: Database): Promise<Partial<Record<TaskState, number>>> =>
  Object.fromEntries(
    (await select(db, {})).map(({ processState, tasks }) => [processState, tasks]),
  );
