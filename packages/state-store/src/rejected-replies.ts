import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

/** A reply that changed nothing. Kept, because nothing is dropped silently. */
export interface RejectedReply {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly reason: string;
  /** Who sent it, as the broker vouches for; null: it does not. */
  readonly sender: string | null;
  /** The reply as JSON text. */
  readonly reply: string;
}

export interface DeadLetter {
  readonly queue: string;
  readonly reason: string;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly body: Buffer;
}

const insertReplies = query("insert-rejected-replies");
const insertDeadLetter = query<DeadLetter>("insert-dead-letter");

export async function keepRejectedReplies(
  db: Database,
  replies: readonly RejectedReply[],
): Promise<void> {
  if (replies.length === 0) return;
  const rows = columns(replies, {
    taskIds: "taskId",
    steps: "step",
    attempts: "attempt",
    reasons: "reason",
    senders: "sender",
    replies: "reply",
  });
  await insertReplies(db, rows);
}

export async function keepDeadLetter(db: Database, letter: DeadLetter): Promise<void> {
  await insertDeadLetter(db, letter);
}
