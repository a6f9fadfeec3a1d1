import type { BreakerState, Milliseconds } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** What metrics say of all instances together. */
export interface FleetFacts {
  /**
   * The lanes that have due steps: how many, no further than to 900, and for how long the oldest
   * has been due.
   */
  readonly lanes: readonly {
    readonly lane: string;
    readonly steps: number;
    readonly age: Milliseconds;
  }[];
  /** How late the wait is that should have ended first; null: none is late. */
  readonly waitLateness: Milliseconds | null;
  /** How late the schedule is that should have fired first; null: none is late. */
  readonly scheduleLateness: Milliseconds | null;
  /** Notifications in the outbox, counted no further than to 10,000. */
  readonly notifications: number;
  /** The age of the oldest notification; null: the outbox is empty. */
  readonly oldestNotificationAge: Milliseconds | null;
  /** Submissions and signals in the inbox, of each kind counted no further than to 10,000. */
  readonly enqueued: number;
  /** Age of the oldest of them; null: the inbox is empty. */
  readonly oldestEnqueuedAge: Milliseconds | null;
  /** Dead letters that are kept, counted no further than to 10,000. */
  readonly deadLetters: number;
  /** The age of the newest dead letter; null: there is none. */
  readonly newestDeadLetterAge: Milliseconds | null;
  /** Breakers that have ever been open. */
  readonly breakers: readonly { readonly service: string; readonly state: BreakerState }[];
}

const find = queryAmong("find-fleet-facts", rowsOf<FleetFacts>());

/** What metrics say of all instances together. Reads a bounded number of rows, whatever waits. */
export const findFleetFacts = repeatable(
  async (
    db,
    { lanes }: { readonly lanes: readonly string[] },
    { partitions },
  ): Promise<FleetFacts> => {
    const [facts] = await find(db, partitions.range(), { lanes: [...lanes] });
    return facts as FleetFacts;
  },
);
