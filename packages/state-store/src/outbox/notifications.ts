import type { TaskAlert, TaskRefused, TaskStatus } from "@holdfast/contracts";
import { exactlyOnce } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";

/** A message, and whom it is for: the submitter's queue, `holdfast.events`, or the operators. */
export type Notification = {
  /** Notifications of one subject on one channel are sent in the order of `seq`. */
  readonly subject: string;
  readonly seq: number;
  readonly correlationId: string | null;
  /** The trace of its task, as `traceText` writes it; null or absent: none. */
  readonly traceContext?: string | null;
} & (
  | {
      readonly channel: "status";
      readonly address: string;
      readonly body: TaskStatus | TaskRefused;
    }
  | { readonly channel: "event"; readonly address: null; readonly body: TaskStatus }
  | { readonly channel: "alert"; readonly address: null; readonly body: TaskAlert }
);

const insertNotifications = query("insert-notifications");

/** Sends, without awaiting it, the statement that writes notifications to the outbox, and alerts to their table. */
export function enqueueNotifications(
  db: Database,
  notifications: readonly Notification[],
): readonly Promise<unknown>[] {
  if (notifications.length === 0) return [];
  const rows = notifications.map(({ body, traceContext = null, ...notification }) => ({
    ...notification,
    traceContext,
    body: JSON.stringify(body),
  }));
  const names = {
    subjects: "subject",
    channels: "channel",
    seqs: "seq",
    addresses: "address",
    correlationIds: "correlationId",
    bodies: "body",
    traceContexts: "traceContext",
  } as const;
  return [insertNotifications(db, columns(rows, names))];
}

/** Puts messages to submitters that say why no task was created into the outbox, exactly once. */
export const enqueueRefusals = exactlyOnce(
  async (db, notifications: readonly Notification[]): Promise<void> =>
    void (await Promise.all(enqueueNotifications(db, notifications))),
);
