import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/**
 * Unfinished tasks that no transaction changed for a while, and that have nothing to wait for or a step that
 * is delayed for more than an hour.
 */
export interface StalledTasks {
  readonly taskIds: readonly string[];
  /** The task after which to go on; null: these were the last. */
  readonly next: string | null;
}

export interface StalledOptions {
  /** The task after which to go on; null: from the first unfinished one on. */
  readonly after: string | null;
  /** Milliseconds. */
  readonly untouchedFor: number;
}

const select = query("find-stalled-tasks", rowsOf<StalledTasks>());

/** No id comes before it. */
const first = "00000000-0000-0000-0000-000000000000";

/** Finds tasks that nothing will move, among the next few unfinished ones, however many there are. */
export const findStalledTasks = repeatable(
  async (db, { after, untouchedFor }: StalledOptions): Promise<StalledTasks> => {
    const [found] = await select(db, { after: after ?? first, untouchedFor });
    return found as StalledTasks;
  },
);
