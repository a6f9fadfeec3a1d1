import { askedInRow, parseJson } from "@holdfast/contracts";
import { familyOf } from "@holdfast/domain";
import { enqueueNotifications, type Notification } from "../outbox/outbox.ts";
import { exactlyOnce, once, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { Candidate, EnqueuedSubmission } from "./new-task.ts";
import { requestHash } from "./read-submission.ts";

/** A submission of the inbox that becomes no task, and why. */
export interface EnqueuedRefusal {
  readonly taskId: string;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  /** The message to its submitter; null: it named no queue. */
  readonly notification: Notification | null;
}

/** How much of the inbox is taken at a time. */
export interface InboxClaim {
  readonly most: number;
  readonly mostBytes: number;
  /**
   * Milliseconds for which no other process takes it: that many for each time that it was taken,
   * but not more often.
   */
  readonly lease: number;
  readonly mostLeases: number;
}

const glance = query("glance-at-inboxes", rowsOf<{ submissions: boolean; signals: boolean }>());

/** Which inboxes have something in them, whether a process is at it or not. */
export const glanceAtInboxes = repeatable(async (db) => (await glance(db, {}))[0]!);

const claimRows = query("claim-enqueued", rowsOf<EnqueuedSubmission, "submission">());

/**
 * Takes submissions of the inbox, the oldest of each caller by turns, with SKIP LOCKED, and has
 * them in their order: who came first with a key has it. If the answer is lost, their leases end.
 */
export const claimEnqueued = once(
  async (db, request: InboxClaim): Promise<readonly EnqueuedSubmission[]> =>
    (await claimRows(db, request)).toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1)),
);

const refuseRows = query("refuse-enqueued", rowsOf<{ taskId: string }>());

/**
 * Refuses submissions of the inbox, once each: with a row for their applications, and a message to
 * who asked for one. What another process has taken meanwhile is left to that.
 */
export const refuseEnqueued = exactlyOnce(
  async (db, refusals: readonly EnqueuedRefusal[]): Promise<void> => {
    const rows = refusals.map((one) => ({ ...one, errors: JSON.stringify(one.errors) }));
    const names = {
      taskIds: "taskId",
      codes: "code",
      details: "detail",
      errors: "errors",
    } as const;
    const refused = new Set(
      (await refuseRows(db, columns(rows, names))).map(({ taskId }) => taskId),
    );
    const notifications = refusals.flatMap(({ taskId, notification }) =>
      notification === null || !refused.has(taskId) ? [] : [notification],
    );
    await Promise.all(enqueueNotifications(db, notifications));
  },
);

const lockRows = query("lock-enqueued", rowsOf<{ taskId: string }>());
const deleteRows = query("delete-enqueued");
const findRows = query("find-enqueued", rowsOf<EnqueuedRow, "submission">());

interface EnqueuedRow {
  readonly taskId: string;
  readonly submission: string;
  readonly workflow: string;
}

/** Whether a candidate comes from the inbox. */
const isEnqueued = ({ task }: Candidate): boolean => task.enqueued !== undefined;

/** Locks what comes from the inbox; says which of it another process has taken already. */
export async function lockEnqueued(
  db: Database,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<Candidate>> {
  const enqueued = candidates.filter(isEnqueued);
  if (enqueued.length === 0) return new Set();
  const locked = await lockRows(db, { taskIds: enqueued.map(({ taskId }) => taskId) });
  const found = new Set(locked.map(({ taskId }) => taskId));
  return new Set(enqueued.filter(({ taskId }) => !found.has(taskId)));
}

/** Sends the statement that takes out of the inbox what is written with it. */
export const deleteEnqueued = (
  db: Database,
  made: readonly Candidate[],
): readonly Promise<unknown>[] =>
  made.length === 0 ? [] : [deleteRows(db, { taskIds: made.map(({ taskId }) => taskId) })];

/** What stands in the place of the hash of a request until its task is made. */
const enqueuedHash = "enqueued";

interface Earlier {
  readonly taskId: string;
  readonly hash: string;
}

/**
 * Replaces what stands for the hash of a submission that still waits in the inbox by its hash: so a
 * request with its key is compared before its task is made. Of one that cannot be read nothing is
 * the same.
 */
export async function withEnqueuedHashes<Row extends Earlier>(
  db: Database,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const waiting = rows.filter(({ hash }) => hash === enqueuedHash);
  if (waiting.length === 0) return rows;
  const found = await findRows(db, { taskIds: waiting.map(({ taskId }) => taskId) });
  const hashes = new Map(found.map((row) => [row.taskId, hashIn(row)]));
  return rows.map((row) => ({ ...row, hash: hashes.get(row.taskId) ?? row.hash }));
}

function hashIn({ submission, workflow }: EnqueuedRow): string {
  try {
    return requestHash(readRow(submission), familyOf(workflow));
  } catch {
    return "";
  }
}

/**
 * The submission in a row of the inbox. Throws a `SyntaxError` for JSON that is deeper than a
 * message may be.
 */
export const readRow = (submission: string) => {
  const json = parseJson(Buffer.from(submission));
  return askedInRow(typeof json === "object" && json !== null ? (json as never) : {});
};
