import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** An invariant that does not hold, and of which task. */
export interface Violation {
  readonly invariant: string;
  readonly taskId: string;
  readonly witness: string | null;
}

export const findInvariantViolations = query("find-invariant-violations", rowsOf<Violation>());
