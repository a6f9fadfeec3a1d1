import { type Database, query } from "./query.ts";

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

const make = query<object, { month: string }>("make-partitions");
const deleteTasks = query<Keeping & { month: string; withRecords: boolean }, Deleted>(
  "delete-finished-tasks",
);
const drop = query<{ month: string }, { dropped: boolean }>("drop-month");
const deleteKeys = query<{ batch: number }, Deleted>("delete-expired-keys");
const deleteRecords = query<Keeping, Deleted>("delete-old-records");

/** Makes room for the orders of this month and the next; says for which months it did. */
export const makePartitions = async (db: Database): Promise<readonly string[]> =>
  (await make(db, {})).map(({ month }) => month);

export const findOldMonths = query<{ keep: number }, OldMonth>("find-old-months");

/**
 * Deletes a batch of finished tasks of an old month, with their steps; of a month that has to stay, also
 * their events and payloads, which otherwise go with the month. Says how many.
 */
export const deleteFinishedTasks = async (
  db: Database,
  { month, hasUnfinished, keep, batch }: OldMonth & Keeping,
): Promise<number> =>
  (await deleteTasks(db, { month, keep, batch, withRecords: hasUnfinished }))[0]!.deleted;

/** Drops what is left of a month without tasks. False: it has some, or others are at work in it. */
export const dropMonth = async (db: Database, { month }: { month: string }): Promise<boolean> =>
  (await drop(db, { month }))[0]!.dropped;

/** Deletes idempotency keys that stand for nothing any more; says how many. */
export const deleteExpiredKeys = async (
  db: Database,
  params: { readonly batch: number },
): Promise<number> => (await deleteKeys(db, params))[0]!.deleted;

/** Deletes old messages, alerts and pauses that belong to no month; says how many. */
export const deleteOldRecords = async (db: Database, keeping: Keeping): Promise<number> =>
  (await deleteRecords(db, keeping))[0]!.deleted;
