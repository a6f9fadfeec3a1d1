import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = query("find-unavailable-agents", rowsOf<{ agent: string }>());

/**
 * The Agents that are paused, or of which every instance has an open breaker: others of their pools get their steps.
 */
export const findUnavailableAgents = repeatable(
  async (db): Promise<readonly string[]> => (await find(db, {})).map(({ agent }) => agent),
);
