import { definitionFormat, type Milliseconds } from "@holdfast/domain";
import type { Scan } from "../claim/scan-window.ts";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** Overdue steps and tasks. Found without locks: the decision about them checks again. */
export interface Expired {
  readonly steps: readonly {
    readonly taskId: string;
    readonly step: string;
    readonly attempt: number;
    readonly token: string;
    /** Milliseconds since it should have been done. */
    readonly overdue: Milliseconds;
    /**
     * The number of queues for which it is known that a reply through them would have been
     * recorded: a probe has gone its way since.
     */
    readonly proven: number;
    /** Whether requests or replies may not have arrived in the time of the attempt. */
    readonly excused: boolean;
  }[];
  /** Tasks whose limit as a whole has passed. */
  readonly taskIds: readonly string[];
  /** Milliseconds until the next complete-by time; null: nothing is being processed. */
  readonly nextIn: Milliseconds | null;
}

interface Row extends Scan {
  readonly taskId: string | null;
  readonly step: string | null;
  readonly attempt: number;
  readonly token: string;
  readonly overdue: number;
  readonly proven: number;
  readonly excused: boolean;
  readonly nextIn: number | null;
}

const select = query("find-expired", rowsOf<Row>());

export interface ExpiredOptions {
  /** How many steps and how many tasks, at most. */
  readonly batch: number;
  /** Tasks to leave out; none unless given. */
  readonly held?: readonly string[];
  /** The queues through which a reply may come; none unless given, and nothing is proven then. */
  readonly queues?: readonly string[];
}

/**
 * Milliseconds after a limit at which a probe is sent that proves something: what was held up comes
 * a moment later.
 */
const settling = 250;

/**
 * Finds overdue steps and tasks, at most `batch` of each, without locks. Scans only the time range
 * that its window gives.
 */
export const findExpired = repeatable(
  async (
    db,
    { batch, held = [], queues = [] }: ExpiredOptions,
    { expiredWindow },
  ): Promise<Expired> => {
    const since = expiredWindow.since();
    const rows = await select(db, {
      batch,
      held,
      since,
      queues,
      settling,
      format: definitionFormat,
    });
    const sum = rows.find(({ taskId }) => taskId === null);
    const steps = rows.flatMap(({ taskId, step, attempt, token, overdue, proven, excused }) =>
      taskId === null || step === null
        ? []
        : [{ taskId, step, attempt, token, overdue, proven, excused }],
    );
    const taskIds = rows.flatMap(({ taskId, step }) =>
      taskId === null || step !== null ? [] : [taskId],
    );
    const isAll = steps.length < batch && taskIds.length < batch && held.length === 0;
    if (since === Number.NEGATIVE_INFINITY && isAll && sum !== undefined) expiredWindow.saw(sum);
    return { steps, taskIds, nextIn: sum?.nextIn ?? null };
  },
);

/**
 * Unfinished tasks that no transaction changed for a while, and that have nothing to wait for or a
 * step that is delayed for more than an hour.
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

const selectStalled = query("find-stalled-tasks", rowsOf<StalledTasks>());

/** No id comes before it. */
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Finds tasks that nothing will move, among the next few unfinished ones, however many there are.
 */
export const findStalledTasks = repeatable(
  async (db, { after, untouchedFor }: StalledOptions): Promise<StalledTasks> => {
    const [found] = await selectStalled(db, { after: after ?? firstId, untouchedFor });
    return found as StalledTasks;
  },
);
