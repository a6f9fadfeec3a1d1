import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { type Database, query, queryAmong } from "../postgres/query.ts";
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
const deleteTasks = query("delete-finished-tasks", rowsOf<Deleted>());
const drop = query("drop-month", rowsOf<{ dropped: boolean }>());
const deleteKeys = query("delete-expired-keys", rowsOf<Deleted>());
const deleteBusinessKeys = query("delete-free-business-keys", rowsOf<SweptKeys>());
const deletePassed = queryAmong("delete-passed-fairness-keys", rowsOf<Deleted>());
const deleteMessages = query("delete-old-messages", rowsOf<Deleted>());
const lookAt = query("look-at-clock", rowsOf<{ aheadSince: number | null }>());
const deleteBulkOperations = query("delete-old-bulk-operations", rowsOf<Deleted>());
const deleteRecords = query("delete-old-records", rowsOf<Deleted>());

/** Makes room for the orders of this month and the next; says for which months it did. */
export const makePartitions = async (db: Database): Promise<readonly string[]> =>
  (await make(db, {})).map(({ month }) => month);

export const findOldMonths = query("find-old-months", rowsOf<OldMonth>());

/** Deletes a batch of finished tasks of a month that has to stay, with all that is kept of them. Says how many. */
export const deleteFinishedTasks = async (
  db: Database,
  params: Keeping & { readonly month: string },
): Promise<number> => (await deleteTasks(db, params))[0]!.deleted;

/** Drops a month as a whole. False: something of it is to be kept, or others are at work in its tables. */
export const dropMonth = async (
  db: Database,
  params: { readonly month: string; readonly keep: number },
): Promise<boolean> => (await drop(db, params))[0]!.dropped;

/** Deletes idempotency keys that stand for nothing any more; says how many. */
export const deleteExpiredKeys = async (
  db: Database,
  params: { readonly batch: number },
): Promise<number> => (await deleteKeys(db, params))[0]!.deleted;

/** What a look at some business keys has shown. */
export interface SweptKeys extends Deleted {
  /** Whether the next look begins at the first key, or another process is looking. */
  readonly isLast: boolean;
}

/** Deletes those of the next business keys whose tasks have ended or are gone. */
export const deleteFreeBusinessKeys = async (
  db: Database,
  params: { readonly batch: number },
): Promise<SweptKeys> => (await deleteBusinessKeys(db, params))[0]!;

/** Deletes fairness keys that the queue has passed; says how many. */
export const deletePassedFairnessKeys =
  (partitions: ActivePartitions) =>
  async (db: Database, params: { readonly batch: number }): Promise<number> =>
    (await deletePassed(db, partitions.range(), params))[0]!.deleted;

/** Deletes old alerts and pauses, which belong to no month; returns how many. */
export const deleteOldRecords = async (db: Database, keeping: Keeping): Promise<number> =>
  (await deleteRecords(db, keeping))[0]!.deleted;

/** Deletes ended bulk operations, and their items before them; returns how many rows. */
export const deleteOldBulkOperations = async (db: Database, keeping: Keeping): Promise<number> =>
  (await deleteBulkOperations(db, keeping))[0]!.deleted;

/** Deletes old refused replies, dead letters and their alerts; returns how many. */
export const deleteOldMessages = async (db: Database, keeping: Keeping): Promise<number> =>
  (await deleteMessages(db, keeping))[0]!.deleted;

/** A sender, and how many of its messages were deleted. */
export interface DroppedMessages {
  readonly sender: string;
  readonly messages: number;
}

/** Deletes the oldest refused replies and dead letters of each sender that keeps more than so many bytes. */
export const deleteExcessMessages = query("delete-excess-messages", rowsOf<DroppedMessages>());

/**
 * Looks whether the store's clock can be trusted: what is old is old by the clock of the last look. Says since
 * when (ms since 1970) it has been more than a day ahead of that; null: it is not.
 */
export const lookAtClock = async (db: Database): Promise<number | null> =>
  (await lookAt(db, {}))[0]!.aheadSince;
