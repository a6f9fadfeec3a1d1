import type { TaskState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { instant } from "../read/read-task.ts";

/** A task that has changed, as it is now. */
export interface ChangedTask {
  readonly id: string;
  readonly workflow: string;
  readonly state: TaskState;
  readonly version: number;
  readonly updatedAt: string;
}

/** Which tasks have changed since. */
export interface ChangedTasks {
  /** The last entry of the history by now. */
  readonly lastId: string;
  /** How many tasks have changed. */
  readonly moved: number;
  /** The tasks that changed last, the latest first. */
  readonly tasks: readonly ChangedTask[];
}

const find = query("find-changed-tasks", rowsOf<ChangedTasks>());

/** A number after every entry of the history. */
const last = "9223372036854775806";

export interface ChangesQuery {
  readonly after: string | null;
  readonly most: number;
  readonly mostMoves: number;
}

/**
 * The tasks with moves after `after` (null: after the last one), at most `most`, the latest first.
 * Of a long history the last `mostMoves` are looked at.
 */
export const findChangedTasks = repeatable(
  async (db, { after, most, mostMoves }: ChangesQuery): Promise<ChangedTasks> => {
    const [found] = await find(db, { after: after ?? last, most, mostMoves: String(mostMoves) });
    const { lastId = "0", moved = 0, tasks = [] } = found ?? {};
    return {
      lastId,
      moved,
      tasks: tasks.map((task) => ({
        ...task,
        updatedAt: instant(task.updatedAt) ?? task.updatedAt,
      })),
    };
  },
);
