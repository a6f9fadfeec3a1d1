import type { BreakerFacts } from "../inspect/find-task-facts.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { findLastFaults } from "./find-last-faults.ts";

/** The breaker of a remote service, and the Agents that call it. */
export interface RemoteFacts extends BreakerFacts {
  readonly agents: readonly string[];
}

const find = query("find-breaker-facts", rowsOf<Omit<RemoteFacts, "lastFault">>());

/** All breakers that hold something back. */
export async function findBreakerFacts(db: Database): Promise<readonly RemoteFacts[]> {
  const found = await find(db, {});
  const faults = await findLastFaults(
    db,
    found.map(({ service }) => service),
  );
  return found.map((one) => ({ ...one, lastFault: faults.get(one.service) ?? null }));
}
