import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** Milliseconds: three heartbeats. */
const heardWithin = 15_000;

const find = query("find-unavailable-agents", rowsOf<{ agent: string }>());

/** The Agents that should get no step which another Agent could have. */
export const findUnavailableAgents = async (db: Database): Promise<readonly string[]> =>
  (await find(db, { heardWithin })).map(({ agent }) => agent);
