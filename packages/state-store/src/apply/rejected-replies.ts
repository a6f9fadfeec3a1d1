import { repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";

/** A reply that changed nothing. Kept, because nothing is dropped silently. */
export interface RejectedReply {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly reason: string;
  /** Who sent it, as the broker vouches for; null: it does not. */
  readonly sender: string | null;
  /** The message as it came. */
  readonly body: Buffer;
}

const insertReplies = query("insert-rejected-replies");

/** Keeps replies that changed nothing. The same reply is kept once. */
export const recordRejectedReplies = repeatable(
  async (db, replies: readonly RejectedReply[]): Promise<void> => {
    if (replies.length === 0) return;
    const rows = columns(
      replies.map((reply) => ({ ...reply, length: reply.body.length })),
      {
        taskIds: "taskId",
        steps: "step",
        attempts: "attempt",
        reasons: "reason",
        senders: "sender",
        lengths: "length",
      },
    );
    await insertReplies(db, { ...rows, bodies: Buffer.concat(replies.map(({ body }) => body)) });
  },
);
