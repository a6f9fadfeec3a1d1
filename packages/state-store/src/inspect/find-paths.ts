import type { Instant } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A queue of replies to which a probe is on its way. */
export interface UnprovenPath {
  readonly queue: string;
  /** What the last probe met with; null: nothing is known to be wrong. */
  readonly trouble: string | null;
  readonly silentSince: Instant;
}

/** The part on whose way requests or replies may not arrive in time, and since when. */
export interface OutageInForce {
  readonly part: "requests" | "replies";
  readonly since: Instant;
}

/** What the store knows of the ways of requests and replies. */
export interface PathFacts {
  /**
   * Queues in which no reply may arrive: what is silent is not counted. Empty: none is under
   * suspicion.
   */
  readonly unproven: readonly UnprovenPath[];
  readonly outages: readonly OutageInForce[];
}

const findUnproven = query("find-unproven-paths", rowsOf<UnprovenPath>());
const findOutages = query("find-outages-in-force", rowsOf<OutageInForce>());

/**
 * What the store knows of the ways of requests and replies: it is all that a process without rights
 * at the broker sees.
 */
export const findPaths = repeatable(readPaths);

/** Reads the ways of requests and replies as `findPaths` does, once. */
export async function readPaths(db: Database): Promise<PathFacts> {
  return { unproven: await findUnproven(db, {}), outages: await findOutages(db, {}) };
}
