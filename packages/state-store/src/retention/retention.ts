import { exactlyOnce, repeatable } from "../postgres/operation.ts";
import { query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A month that ended longer ago than its tasks are to be kept. */
export interface OldMonth {
  /** Its first day. */
  readonly month: string;
  /** It has to stay. */
  readonly hasUnfinished: boolean;
  /** A task of it ended later, and is to be kept for a while yet. */
  readonly hasRecent: boolean;
}

/** How long finished tasks are kept, in milliseconds, and how many go at a time. */
export interface Keeping {
  readonly keep: number;
  readonly batch: number;
}

interface Deleted {
  readonly deleted: number;
}

const make = query("make-partitions", rowsOf<{ month: string }>());
const selectOldMonths = query("find-old-months", rowsOf<OldMonth>());
const deleteTasks = query("delete-finished-tasks", rowsOf<Deleted>());
const drop = query("drop-month", rowsOf<{ dropped: boolean }>());
const deleteKeys = query("delete-expired-keys", rowsOf<Deleted>());
const deleteUnclaimed = query(
  "delete-unclaimed-signals",
  rowsOf<Deleted & { readonly alert: string | null }>(),
);
const deleteBusinessKeys = query("delete-free-business-keys", rowsOf<SweptKeys>());
const deletePassed = queryAmong("delete-passed-fairness-keys", rowsOf<Deleted>());
const deleteMessages = query("delete-old-messages", rowsOf<Deleted>());
const readAhead = query("read-clock", rowsOf<{ aheadSince: number | null }>());
const deleteBulkOperations = query("delete-old-bulk-operations", rowsOf<Deleted>());
const deleteRecords = query("delete-old-records", rowsOf<Deleted>());

/** Makes the partitions of this month and the next; returns the months of those that it made. */
export const makePartitions = repeatable(
  async (db): Promise<readonly string[]> => (await make(db, {})).map(({ month }) => month),
);

/** The months that ended more than `keep` ago. */
export const findOldMonths = repeatable(
  (db, params: { readonly keep: number }): Promise<readonly OldMonth[]> =>
    selectOldMonths(db, params),
);

/**
 * Deletes a batch of finished tasks of a month that must stay, with all that is kept of them;
 * returns how many.
 */
export const deleteFinishedTasks = repeatable(
  async (db, params: Keeping & { readonly month: string }): Promise<number> =>
    (await deleteTasks(db, params))[0]!.deleted,
);

/** Drops the partitions of a month. False: it holds tasks to be kept, or its tables are in use. */
export const dropMonth = repeatable(
  async (db, params: { readonly month: string; readonly keep: number }): Promise<boolean> =>
    (await drop(db, params))[0]!.dropped,
);

/** Deletes a batch of expired idempotency keys; returns how many. */
export const deleteExpiredKeys = exactlyOnce(
  async (db, params: { readonly batch: number }): Promise<number> =>
    (await deleteKeys(db, params))[0]!.deleted,
);

/**
 * Deletes a batch of signals whose tasks did not come in the time for which they were held, and
 * alerts a person to them; returns how many.
 */
export const deleteUnclaimedSignals = exactlyOnce(
  async (db, params: { readonly batch: number }): Promise<number> =>
    (await deleteUnclaimed(db, params))[0]!.deleted,
);

/** What a look at some business keys has shown. */
export interface SweptKeys extends Deleted {
  /** Whether the next look begins at the first key, or another process is looking. */
  readonly isLast: boolean;
}

/**
 * Looks at the next `batch` business keys, from where the last look of any process stopped, and
 * deletes those whose tasks have ended or are gone.
 */
export const deleteFreeBusinessKeys = repeatable(
  async (db, params: { readonly batch: number }): Promise<SweptKeys> =>
    (await deleteBusinessKeys(db, params))[0]!,
);

/** Deletes a batch of fairness keys that the queue has passed; returns how many. */
export const deletePassedFairnessKeys = repeatable(
  async (db, params: { readonly batch: number }, { partitions }): Promise<number> =>
    (await deletePassed(db, partitions.range(), params))[0]!.deleted,
);

/**
 * Deletes a batch of old alerts of tasks that are gone, of ended pauses, and of what became of
 * instants of schedules, which belong to no month; returns how many.
 */
export const deleteOldRecords = exactlyOnce(
  async (db, keeping: Keeping): Promise<number> => (await deleteRecords(db, keeping))[0]!.deleted,
);

/** Deletes a batch of ended bulk operations, and their items before them; returns how many rows. */
export const deleteOldBulkOperations = exactlyOnce(
  async (db, keeping: Keeping): Promise<number> =>
    (await deleteBulkOperations(db, keeping))[0]!.deleted,
);

/** Deletes a batch of old rejected replies, dead letters and their alerts; returns how many. */
export const deleteOldMessages = exactlyOnce(
  async (db, keeping: Keeping): Promise<number> => (await deleteMessages(db, keeping))[0]!.deleted,
);

/** A sender, and how many of its messages were deleted. */
export interface DroppedMessages {
  readonly sender: string;
  readonly messages: number;
}

const deleteExcess = query("delete-excess-messages", rowsOf<DroppedMessages>());

/**
 * Deletes the oldest rejected replies and dead letters of each sender that keeps more than
 * `mostBytes`.
 */
export const deleteExcessMessages = exactlyOnce(
  (
    db,
    params: { readonly mostBytes: number; readonly batch: number },
  ): Promise<readonly DroppedMessages[]> => deleteExcess(db, params),
);

/**
 * Looks whether the store's clock can be trusted: what is old is old by the clock of the last look.
 * Resolves to the instant since which it has been more than a day ahead of that; null: it is not.
 */
export const readClock = repeatable(
  async (db): Promise<number | null> => (await readAhead(db, {}))[0]!.aheadSince,
);
