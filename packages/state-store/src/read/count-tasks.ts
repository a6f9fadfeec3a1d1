import type { TaskState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const select = query("count-tasks", rowsOf<{ processState: TaskState; tasks: number }>());

/** How many tasks there are in each state. Reads them all: for tests and people. */
export const countTasks = repeatable(
  async (db): Promise<Partial<Record<TaskState, number>>> =>
    Object.fromEntries(
      (await select(db, {})).map(({ processState, tasks }) => [processState, tasks]),
    ),
);
