import { keptFor, resolutions } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const deleteCounts = query("delete-old-statistics", rowsOf<{ deleted: number }>());
const deleteFailures = query("delete-old-failures", rowsOf<{ deleted: number }>());

/** Groups of failures that are kept: those that happened last. */
const mostGroups = 10_000;

/**
 * Deletes a batch of counts of each resolution that are past their time, and one of failures; returns how many rows the
 * largest had.
 */
export const deleteOldStatistics = repeatable(
  async (db, { batch }: { readonly batch: number }): Promise<number> => {
    const [failures] = await deleteFailures(db, { batch, mostGroups });
    let most = failures?.deleted ?? 0;
    for (const resolution of resolutions) {
      const [counts] = await deleteCounts(db, { resolution, keep: keptFor[resolution], batch });
      most = Math.max(most, counts?.deleted ?? 0);
    }
    return most;
  },
);
