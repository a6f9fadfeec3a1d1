import { definitionFormat, type Instant } from "@holdfast/domain";
import type { PauseFacts } from "../inspect/find-task-facts.ts";
import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A process that performs the steps of an Agent, as its last heartbeat says. */
export interface ListedInstance {
  readonly name: string;
  readonly slots: number;
  readonly inFlight: number;
  readonly breaker: "closed" | "open" | "half-open";
  /** The instant until which its breaker is open; null: it is not. */
  readonly openUntil: Instant | null;
  readonly lastSeen: Instant;
  /** Whether it counts: no heartbeat is missing, and it does not leave. */
  readonly living: boolean;
}

export interface ListedAgent {
  readonly name: string;
  /** How many instances live, and the slots that they have together. */
  readonly living: number;
  readonly slots: number;
  /** Steps in flight, by the store. */
  readonly inFlight: number;
  /** Steps that wait to be claimed, counted no further than to 1,000. */
  readonly due: number;
  /** Milliseconds for which the oldest of them has been due; null: none is. */
  readonly dueFor: number | null;
  readonly paused: PauseFacts | null;
  /** Instances of the last day, living ones first, at most 100. */
  readonly instances: readonly ListedInstance[];
}

const find = queryAmong("find-agents", rowsOf<ListedAgent>());

/** Which Agents are asked for: those after one of them, or null: the first. */
export interface AgentsQuery {
  readonly after: string | null;
  readonly most: number;
}

/**
 * Lists a page of Agents, by name, and their instances, with what waits for them. Reads a bounded
 * number of rows.
 */
export const listAgents = repeatable(
  (db, asked: AgentsQuery, { partitions }): Promise<readonly ListedAgent[]> =>
    find(db, partitions.range(), { format: definitionFormat, ...asked }),
);
