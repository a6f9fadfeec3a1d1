import type { Milliseconds } from "@holdfast/domain";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** What waits in the inbox. */
export interface InboxFacts {
  /** Counted no further than to 10,000. */
  readonly waiting: number;
  /** How long the oldest has waited; null: nothing waits. */
  readonly waitingFor: Milliseconds | null;
}

/** Submissions of one login that became no task, or signals that no task got, for one reason. */
export interface RefusedEntries {
  readonly kind: "submission" | "signal";
  readonly submitter: string;
  readonly code: string;
  readonly number: number;
  /** ISO 8601, of the last one. */
  readonly latest: string;
}

/** What waits in the inbox, and what was refused lately. */
export interface SeenInbox extends InboxFacts {
  /** The last ones first, 20 at most. */
  readonly refused: readonly RefusedEntries[];
}

const find = query("find-inbox", rowsOf<SeenInbox>());

/**
 * What waits in the inbox, and what was refused in the last `within` milliseconds. Reads a bounded
 * number of rows.
 */
export const findInbox = repeatable(readInbox);

/** Reads the inbox as `findInbox` does, once. */
export async function readInbox(
  db: Database,
  request: { readonly within: Milliseconds },
): Promise<SeenInbox> {
  return (await find(db, request))[0]!;
}

/** What became of a submission of the inbox that is no task. */
export interface EnqueuedFacts {
  readonly submitter: string;
  /** What its workflow's name meant when it came; null: it was refused. */
  readonly workflow: string | null;
  /** How long it has waited; null: it was refused. */
  readonly waitingFor: Milliseconds | null;
  /** Why it was refused; null: it waits. */
  readonly code: string | null;
  readonly detail: string | null;
}

const findOne = query("find-enqueued-facts", rowsOf<EnqueuedFacts>());

/** Finds what became of a submission; null: nothing was enqueued under this id, or it is a task. */
export const findEnqueuedFacts = async (
  db: Database,
  asked: { readonly taskId: string },
): Promise<EnqueuedFacts | null> => (await findOne(db, asked))[0] ?? null;
