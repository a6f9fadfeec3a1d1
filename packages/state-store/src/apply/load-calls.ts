import type { StepState } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A call as its undo needs it. */
export interface CallFacts {
  readonly taskId: string;
  readonly name: string;
  readonly processState: StepState;
  readonly keyGeneration: number;
  /** Its last one. */
  readonly attempt: number;
}

const select = queryAmong("load-undone-steps", rowsOf<CallFacts>());

export const loadCalls =
  (partitions: ActivePartitions) =>
  (db: Database, params: { readonly taskIds: readonly string[] }): Promise<CallFacts[]> =>
    select(db, partitions.monthsOf(params.taskIds), params);
