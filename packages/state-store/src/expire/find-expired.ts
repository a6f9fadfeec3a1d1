import { definitionFormat, type Milliseconds } from "@holdfast/domain";
import type { Scan, ScanWindow } from "../claim/scan-window.ts";
import { type Database, query } from "../postgres/query.ts";
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
    /** From its claim until then, in milliseconds. */
    readonly lasted: Milliseconds;
  }[];
  /** Tasks whose limit as a whole has passed. */
  readonly taskIds: readonly string[];
  /** Until the next complete-by time; null: nothing is being processed. */
  readonly nextIn: Milliseconds | null;
}

interface Row extends Scan {
  readonly taskId: string | null;
  readonly step: string | null;
  readonly attempt: number;
  readonly token: string;
  readonly overdue: number;
  readonly lasted: number;
  readonly nextIn: number | null;
}

const select = query("find-expired", rowsOf<Row>());

export interface ExpiredOptions {
  /** How many steps and how many tasks, at most. */
  readonly batch: number;
  /** Tasks to leave out; none unless given. */
  readonly held?: readonly string[];
}

/** Scans only the time range that the window gives. */
export const findExpired =
  (window: ScanWindow) =>
  async (db: Database, { batch, held = [] }: ExpiredOptions): Promise<Expired> => {
    const since = window.since();
    const rows = await select(db, { batch, held, since, format: definitionFormat });
    const sum = rows.find(({ taskId }) => taskId === null);
    const steps = rows.flatMap(({ taskId, step, attempt, token, overdue, lasted }) =>
      taskId === null || step === null ? [] : [{ taskId, step, attempt, token, overdue, lasted }],
    );
    const taskIds = rows.flatMap(({ taskId, step }) =>
      taskId === null || step !== null ? [] : [taskId],
    );
    const isAll = steps.length < batch && taskIds.length < batch && held.length === 0;
    if (since === Number.NEGATIVE_INFINITY && isAll && sum !== undefined) window.saw(sum);
    return { steps, taskIds, nextIn: sum?.nextIn ?? null };
  };
