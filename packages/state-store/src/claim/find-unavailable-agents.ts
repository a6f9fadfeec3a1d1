import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = query("find-unavailable-agents", rowsOf<{ agent: string }>());

/** The Agents that should get no step which another Agent could have. */
export const findUnavailableAgents = async (db: Database): Promise<readonly string[]> =>
  (await find(db, {})).map(({ agent }) => agent);
