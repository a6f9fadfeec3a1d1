import { definitionFormat, type Milliseconds } from "@holdfast/domain";
import { type Database, query } from "./query.ts";

/** What is overdue. Found without locks: whoever decides about it must look again. */
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

interface Row {
  readonly taskId: string | null;
  readonly step: string | null;
  readonly attempt: number;
  readonly token: string;
  readonly overdue: number;
  readonly lasted: number;
  readonly nextIn: number | null;
}

const select = query<{ batch: number; format: number }, Row>("find-expired");

export async function findExpired(
  db: Database,
  { batch }: { readonly batch: number },
): Promise<Expired> {
  const rows = await select(db, { batch, format: definitionFormat });
  return {
    steps: rows.flatMap(({ taskId, step, attempt, token, overdue, lasted }) =>
      taskId === null || step === null ? [] : [{ taskId, step, attempt, token, overdue, lasted }],
    ),
    taskIds: rows.flatMap(({ taskId, step }) => (taskId === null || step !== null ? [] : [taskId])),
    nextIn: rows.find(({ taskId }) => taskId === null)?.nextIn ?? null,
  };
}
