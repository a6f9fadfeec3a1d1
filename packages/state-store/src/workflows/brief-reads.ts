import { TakesLong } from "../apply/takes-long.ts";
import type { Database } from "../postgres/query.ts";
import type { StoredWorkflow, UnusableWorkflow, WorkflowCatalog } from "./workflow-catalog.ts";

/**
 * Definitions that are read and planned in one transaction that keeps rows locked. The largest take some 15 ms each;
 * tasks that are decided about together are usually of one or two workflows, and those are known.
 */
const mostReads = 4;

export type FindWorkflow = WorkflowCatalog["find"];

/** Finds the workflows of tasks in a transaction. Throws `TakesLong` where it would have to read many. */
export function briefReads(
  catalog: Pick<WorkflowCatalog, "find" | "known">,
  /** The database for those that are read between two transactions. */
  pool: Database,
) {
  /** What was found stays, whatever has to leave the catalog meanwhile. */
  const found = new Map<string, StoredWorkflow | UnusableWorkflow>();
  const find: FindWorkflow = async (db, name) => {
    const workflow = found.get(name) ?? (await catalog.find(db, name));
    found.set(name, workflow);
    return workflow;
  };
  return {
    /** Begins the reads of one transaction. */
    begin(): FindWorkflow {
      const reading = new Set<string>();
      const left = new Set<string>();
      return async (db, name) => {
        const isKnown = found.has(name) || catalog.known(name) !== undefined;
        if (!isKnown && reading.size >= mostReads && !reading.has(name)) {
          left.add(name);
          throw new TakesLong(async () => {
            for (const one of left) await find(pool, one);
          });
        }
        if (!isKnown) reading.add(name);
        return await find(db, name);
      };
    },
  };
}
