import type {
  ScheduleEvent,
  SignalRefused,
  TaskAlert,
  TaskApproval,
  TaskRefused,
  TaskStatus,
} from "@holdfast/contracts";
import type { Milliseconds } from "@holdfast/domain";
import { exactlyOnce, once, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

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
      readonly body: TaskStatus | TaskRefused | SignalRefused;
    }
  | {
      readonly channel: "event";
      readonly address: null;
      readonly body: TaskStatus | TaskApproval | ScheduleEvent;
    }
  | { readonly channel: "alert"; readonly address: null; readonly body: TaskAlert }
);

const insertNotifications = query("insert-notifications");

/**
 * Sends, without awaiting it, the statement that writes notifications to the outbox, and alerts to
 * their table.
 */
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

/**
 * Puts messages to submitters and senders that say why no task was created, or why none got a
 * signal, into the outbox, exactly once.
 */
export const enqueueRefusals = exactlyOnce(
  async (db, notifications: readonly Notification[]): Promise<void> =>
    void (await Promise.all(enqueueNotifications(db, notifications))),
);

/** A notification that one Scheduler sends: while its lease lasts, no other Scheduler takes it. */
export type TakenNotification = Notification & {
  readonly id: string;
  readonly destination: string;
};

/** Which destinations: their names begin with the channel. */
const ranges = {
  alert: { from: "alert ", until: "alert!" },
  status: { from: "event ", until: "status!" },
  all: { from: "", until: "status!" },
} as const;

export interface TakeOptions {
  readonly lease: Milliseconds;
  /**
   * `alert`: messages to operators. `status`: messages to submitters, and events. All by default.
   */
  readonly kind?: keyof typeof ranges;
  /** The destination after which others are taken, and none before it. */
  readonly after?: string | null;
  /** Destinations to skip, because they refused a message lately. */
  readonly delayed?: readonly string[];
}

const take = query("take-notifications", rowsOf<Required<TakenNotification>>());

/**
 * Leases notifications in the order in which they must be sent: for `lease` no other Scheduler gets
 * them. If the answer is lost, they are free again after the lease.
 */
export const takeNotifications = once(
  (
    db,
    { lease, kind = "all", after = null, delayed = [] }: TakeOptions,
  ): Promise<readonly TakenNotification[]> => {
    const { from, until } = ranges[kind];
    return take(db, { lease, after: after ?? from, until, delayed });
  },
);

const remove = query("delete-notifications");

/**
 * Deletes notifications that the broker confirmed or returned. `delivered`: those that a queue
 * received.
 */
export const deleteNotifications = repeatable(
  async (
    db,
    sent: { readonly ids: readonly string[]; readonly delivered: readonly string[] },
  ): Promise<void> => {
    await remove(db, sent);
  },
);

const removeStale = query("delete-stale-notifications", rowsOf<{ deleted: number }>());

/** Deletes notifications that no Scheduler could send for too long; returns how many. */
export const deleteStaleNotifications = repeatable(
  async (db): Promise<number> => (await removeStale(db, {}))[0]!.deleted,
);
