import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** An invariant that does not hold, and of which task. */
export interface Violation {
  readonly invariant: string;
  readonly taskId: string;
  readonly witness: string | null;
}

const find = query("find-invariant-violations", rowsOf<Violation>());

/** Finds at most `batch` breaches of invariants. Reads everything: for tests and people. */
export const findInvariantViolations = repeatable(
  (db, params: { readonly batch: number }): Promise<readonly Violation[]> => find(db, params),
);
