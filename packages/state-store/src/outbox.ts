import type { Milliseconds } from "@holdfast/domain";
import type { Notice } from "./notices.ts";
import { type Database, query } from "./query.ts";

/** A notice that one Scheduler, and for now no other, is to send. */
export type TakenNotice = Notice & { readonly id: string };

/** Notices in hand, in the order in which they are to be sent; for `lease` nobody else has them. */
export const takeNotices = query<{ lease: Milliseconds }, TakenNotice>("take-notices");

const remove = query<{ ids: readonly string[]; heard: readonly string[] }>("delete-notices");

/** The broker has them, or nobody wants them. `heard`: those that somebody listened to. */
export async function deleteNotices(
  db: Database,
  notices: { readonly ids: readonly string[]; readonly heard: readonly string[] },
): Promise<void> {
  await remove(db, notices);
}
