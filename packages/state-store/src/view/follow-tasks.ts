import type { Milliseconds, TaskState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { HistoryEntry } from "../read/read-task.ts";

/** A task that is followed, and the move after which it is looked at. */
export interface FollowedTask {
  readonly taskId: string;
  readonly after: string;
}

/** A move of a followed task. */
export interface FollowedMove extends HistoryEntry, FollowedTask {}

/** The state of a followed task. */
export interface TaskStanding {
  readonly taskId: string;
  readonly version: number;
  readonly processState: TaskState;
  readonly hasEnded: boolean;
}

const findMoves = queryAmong("find-moves-since", rowsOf<FollowedMove>());
const findTasks = queryAmong("find-followed-tasks", rowsOf<TaskStanding>());
const findEarlier = query("find-earlier-move", rowsOf<{ id: string }>());

/** What followed tasks have done since, at most `most` moves of each, oldest first. */
export const findMovesSince = repeatable(
  (
    db,
    { followed, most }: { readonly followed: readonly FollowedTask[]; readonly most: number },
    { partitions },
  ): Promise<readonly FollowedMove[]> => {
    const taskIds = followed.map(({ taskId }) => taskId);
    const afters = followed.map(({ after }) => after);
    return findMoves(db, partitions.monthsOf(taskIds), { taskIds, afters, most });
  },
);

/** Finds the states of these tasks; those that were deleted are left out. */
export const findStandings = repeatable(
  (
    db,
    { taskIds }: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<readonly TaskStanding[]> =>
    findTasks(db, partitions.monthsOf(taskIds), { taskIds: [...taskIds] }),
);

/** The last move that came at least `overlap` before the move `seen`; null: there is none. */
export const findEarlierMove = repeatable(
  async (
    db,
    asked: { readonly taskId: string; readonly seen: string; readonly overlap: Milliseconds },
  ): Promise<string | null> => {
    const [found] = await findEarlier(db, asked);
    return found?.id ?? null;
  },
);
