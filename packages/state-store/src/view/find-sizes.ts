import { repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A month of the state store. Days are `YYYY-MM-DD`. */
export interface PartitionSize {
  readonly name: string;
  readonly firstDay: string;
  /** The day after its last. */
  readonly endDay: string;
  /** The rows of all its tables, as Postgres estimates them. */
  readonly rowCount: number;
  readonly bytes: number;
}

/** Notifications that wait to be sent. */
export interface OutboxSize {
  /** Notifications that wait, counted no further than to 10,000. */
  readonly waiting: number;
  /** Milliseconds; null: none waits. */
  readonly oldestFor: number | null;
}

const findPartitions = query("find-partition-sizes", rowsOf<PartitionSize>());
const measure = query("measure-outbox", rowsOf<OutboxSize>());

/** The months of the state store and how large they are, the last one first. */
export const findPartitionSizes = repeatable(
  (db): Promise<readonly PartitionSize[]> => findPartitions(db, {}),
);

/** How many notifications wait to be sent. */
export const measureOutbox = repeatable(async (db): Promise<OutboxSize> => {
  const [found] = await measure(db, {});
  return found ?? { waiting: 0, oldestFor: null };
});
