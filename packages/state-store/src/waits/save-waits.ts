import { columns, type Database, query } from "../postgres/query.ts";
import { beginWaits, type WaitRow } from "./begin-waits.ts";

const remove = query("delete-waits");

/** The waits that a transaction begins and ends. */
export interface SavedWaits {
  readonly begun: readonly WaitRow[];
  readonly ended: readonly Pick<WaitRow, "taskId" | "step">[];
}

/**
 * Sends, without waiting, what writes waits: in the transaction that moves their steps, and in a
 * statement of its own, so that what does not wait pays nothing.
 */
export const saveWaits = (
  db: Database,
  { begun, ended }: SavedWaits,
): readonly Promise<unknown>[] => [
  ...(ended.length === 0 ? [] : [remove(db, columns(ended, { taskIds: "taskId", steps: "step" }))]),
  ...beginWaits(db, begun),
];
