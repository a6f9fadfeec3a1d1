import { definitionFormat } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const selectNames = query("find-workflow-names", rowsOf<{ name: string }>());
const selectLanes = query("find-lanes", rowsOf<{ lane: string }>());

/** The names of stored workflows. */
export const findWorkflowNames = repeatable(readWorkflowNames);

/** The Agents that stored workflows name. */
export const findLanes = repeatable(readLanes);

/** Reads the names as `findWorkflowNames` does, once. */
export async function readWorkflowNames(db: Database): Promise<readonly string[]> {
  return (await selectNames(db, {})).map(({ name }) => name);
}

/** Reads the Agents as `findLanes` does, once. */
export async function readLanes(db: Database): Promise<readonly string[]> {
  return (await selectLanes(db, { format: definitionFormat })).map(({ lane }) => lane);
}
