import type { Milliseconds } from "@holdfast/domain";
import type { Notice } from "./notices.ts";
import { type Database, query } from "./query.ts";

/** A notice that one Scheduler, and for now no other, is to send. */
export type TakenNotice = Notice & { readonly id: string; readonly destination: string };

/** Which destinations: their names begin with the channel. */
const ranges = {
  alert: { from: "alert ", until: "alert!" },
  news: { from: "event ", until: "status!" },
  all: { from: "", until: "status!" },
} as const;

export interface TakeOptions {
  readonly lease: Milliseconds;
  /** Alerts, or what is told to submitters and to everybody; all, unless said. */
  readonly kind?: keyof typeof ranges;
  /** Only destinations that come after this one. */
  readonly after?: string | null;
  /** Destinations that are to be left alone. */
  readonly resting?: readonly string[];
}

interface TakeParams {
  readonly lease: Milliseconds;
  readonly after: string;
  readonly until: string;
  readonly resting: readonly string[];
}

const take = query<TakeParams, TakenNotice>("take-notices");

/** Notices in hand, in the order in which they are to be sent; for `lease` nobody else has them. */
export const takeNotices = (
  db: Database,
  { lease, kind = "all", after = null, resting = [] }: TakeOptions,
): Promise<TakenNotice[]> => {
  const { from, until } = ranges[kind];
  return take(db, { lease, after: after ?? from, until, resting });
};

const remove = query<{ ids: readonly string[]; heard: readonly string[] }>("delete-notices");

/** The broker has them, or nobody wants them. `heard`: those that somebody listened to. */
export async function deleteNotices(
  db: Database,
  notices: { readonly ids: readonly string[]; readonly heard: readonly string[] },
): Promise<void> {
  await remove(db, notices);
}

const removeStale = query<object, { deleted: number }>("delete-stale-notices");

/** Gives up what nobody could send for too long; says how many. */
export const deleteStaleNotices = async (db: Database): Promise<number> =>
  (await removeStale(db, {}))[0]!.deleted;
