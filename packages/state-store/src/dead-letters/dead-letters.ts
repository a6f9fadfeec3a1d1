import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A dead letter as it is kept. */
export interface KeptDeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly at: Date;
  /** Milliseconds since then, by the store's clock. */
  readonly age: number;
  /** Bytes of the message as it came, and those that are kept of it. */
  readonly size: number;
  readonly kept: number;
  /** The body; in a list only its beginning. */
  readonly body: Buffer;
  /** The properties as `DeadLetter` has them; null: they were not kept. */
  readonly properties: unknown;
}

export type DeadLetterAct = "replay" | "discard";

/** What an operator does with a dead letter. */
export interface DeadLetterRequest {
  readonly id: string;
  readonly action: DeadLetterAct;
  readonly actor: string;
  readonly reason: string;
}

/** What became of a dead letter. */
export interface DeadLetterRecord extends DeadLetterRequest {
  readonly queue: string;
  readonly messageId: string | null;
  readonly type: string | null;
  readonly sender: string | null;
  readonly at: Date;
}

const findAll = query("find-dead-letters", rowsOf<KeptDeadLetter>());
const findOfQueue = query("find-dead-letters-of-queue", rowsOf<KeptDeadLetter>());
const findOne = query("find-dead-letter", rowsOf<KeptDeadLetter>());
const settle = query("close-dead-letter", rowsOf<{ id: string }>());
const findAction = query("find-dead-letter-action", rowsOf<{ action: DeadLetterAct }>());
const findActions = query("find-dead-letter-actions", rowsOf<DeadLetterRecord>());

export interface DeadLetterPageQuery {
  readonly queue: string | null;
  readonly before: string | null;
  readonly most: number;
  readonly shown: number;
}

/** An id after every dead letter. */
const newest = "9223372036854775807";

/**
 * Finds at most `most` dead letters before one of them, newest first, with `shown` bytes of each
 * body.
 */
export const findDeadLetters = repeatable(
  (db, { queue, before, ...page }: DeadLetterPageQuery): Promise<readonly KeptDeadLetter[]> => {
    const asked = { ...page, before: before ?? newest };
    return queue === null ? findAll(db, asked) : findOfQueue(db, { ...asked, queue });
  },
);

/** Finds a dead letter; null: there is none of that number, or it was settled. */
export const findDeadLetter = repeatable(
  async (db, { id }: { readonly id: string }): Promise<KeptDeadLetter | null> => {
    const [found] = await findOne(db, { id });
    return found ?? null;
  },
);

/** What became of a dead letter; null: nothing did. */
export const findDeadLetterAction = repeatable(actionOn);

/** A page of what became of dead letters; null: the first. */
export const findDeadLetterActions = repeatable(
  (
    db,
    asked: { readonly after: string | null; readonly most: number },
  ): Promise<readonly DeadLetterRecord[]> => findActions(db, asked),
);

/**
 * Removes a dead letter and keeps who did what with it. Resolves to what became of it; null: there
 * was none. A request that is repeated after its answer was lost finds what it did itself.
 */
export const closeDeadLetter = repeatable(
  async (db, request: DeadLetterRequest): Promise<DeadLetterAct | null> => {
    const [settled] = await settle(db, request);
    return settled === undefined ? actionOn(db, request) : request.action;
  },
);

async function actionOn(
  db: Database,
  { id }: { readonly id: string },
): Promise<DeadLetterAct | null> {
  const [found] = await findAction(db, { id });
  return found?.action ?? null;
}
