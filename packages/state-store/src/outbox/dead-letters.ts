import { composed, exactlyOnce } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";

/** A message that no service can read or record. */
export interface DeadLetter {
  /** The queue in which it was found. */
  readonly queue: string;
  /** A code, or the broker's word. */
  readonly reason: string;
  /** What was wrong, in words. */
  readonly detail?: string;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly body: Buffer;
  /** Bytes of the message as it came, where `body` has only the first of them. */
  readonly size?: number;
  /** What it needs beside its body to be sent once more, as JSON; absent: that was not kept. */
  readonly properties?: object;
}

const insertDeadLetters = query("insert-dead-letters");

/**
 * Keeps unreadable messages, exactly once, and alerts an operator once a minute for each queue and
 * reason.
 */
export const recordDeadLetters = composed(
  async (context, deadLetters: readonly DeadLetter[]): Promise<void> => {
    await keepDeadLetters(context)(deadLetters);
    context.counts.deadLetters(deadLetters.map(({ queue }) => queue));
  },
);

const keepDeadLetters = exactlyOnce(
  async (db, deadLetters: readonly DeadLetter[]): Promise<void> => {
    if (deadLetters.length === 0) return;
    const rows = deadLetters.map(
      ({ body, detail = null, size = null, properties, ...deadLetter }) => ({
        ...deadLetter,
        detail,
        properties: properties === undefined ? null : JSON.stringify(properties),
        length: body.length,
        size: size === body.length ? null : size,
      }),
    );
    await insertDeadLetters(db, {
      ...columns(rows, {
        queues: "queue",
        reasons: "reason",
        details: "detail",
        messageIds: "messageId",
        types: "type",
        senders: "sender",
        lengths: "length",
        sizes: "size",
        properties: "properties",
      }),
      // One value goes to Postgres as bytes; in an array each body would be written in hexadecimal
      // first.
      bodies: Buffer.concat(deadLetters.map(({ body }) => body)),
    });
  },
);
