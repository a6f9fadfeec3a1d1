import type { StepState } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
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

/** Loads the calls of tasks that are being undone. */
export const loadCalls = repeatable(
  (
    db,
    params: { readonly taskIds: readonly string[] },
    { partitions },
  ): Promise<readonly CallFacts[]> => select(db, partitions.monthsOf(params.taskIds), params),
);
