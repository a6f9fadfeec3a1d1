import { definitionFormat } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const selectNames = query("find-workflow-names", rowsOf<{ name: string }>());
const selectLanes = query("find-lanes", rowsOf<{ lane: string }>());

export const findWorkflowNames = async (db: Database): Promise<readonly string[]> =>
  (await selectNames(db, {})).map(({ name }) => name);

/** The Agents that stored workflows name. */
export const findLanes = async (db: Database): Promise<readonly string[]> =>
  (await selectLanes(db, { format: definitionFormat })).map(({ lane }) => lane);
