import { type Instant, isRemoteFault } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** What a remote service answered last that was a failure, as its Agent said it. */
export interface LastFault {
  readonly code: string;
  /** The detail of the fault; null: it is not kept. */
  readonly detail: string | null;
  readonly at: Instant;
}

interface FoundFault extends Omit<LastFault, "code"> {
  readonly service: string;
  readonly code: string | null;
}

const find = query("find-last-faults", rowsOf<FoundFault>());

/**
 * The last fault of each of these remote services that is its own, by service: not what Agents and Schedulers made of it,
 * such as an open circuit. Steps that it holds back remember it.
 */
export async function findLastFaults(
  db: Database,
  services: readonly string[],
): Promise<ReadonlyMap<string, LastFault>> {
  const faults = new Map<string, LastFault>();
  if (services.length === 0) return faults;
  for (const { service, code, detail, at } of await find(db, { services })) {
    if (code === null || faults.has(service) || !isRemoteFault(code)) continue;
    faults.set(service, { code, detail, at });
  }
  return faults;
}
