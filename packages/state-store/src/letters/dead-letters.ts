import type { Binder } from "../postgres/bind.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type {
  DeadLetterStore,
  KeptLetter,
  LetterAction,
  LetterRecord,
  LetterWish,
} from "./dead-letter-store.ts";

const findAll = query("find-dead-letters", rowsOf<KeptLetter>());
const findOfQueue = query("find-dead-letters-of-queue", rowsOf<KeptLetter>());
const findOne = query("find-dead-letter", rowsOf<KeptLetter>());
const settle = query("settle-dead-letter", rowsOf<{ id: string }>());
const findAction = query("find-dead-letter-action", rowsOf<{ action: LetterAction }>());
const findActions = query("find-dead-letter-actions", rowsOf<LetterRecord>());

type Page = Parameters<DeadLetterStore["findDeadLetters"]>[0];

/** An id after every dead letter. */
const newest = "9223372036854775807";

const findDeadLetters = (
  db: Database,
  { queue, before, ...page }: Page,
): Promise<readonly KeptLetter[]> => {
  const asked = { ...page, before: before ?? newest };
  return queue === null ? findAll(db, asked) : findOfQueue(db, { ...asked, queue });
};

async function findDeadLetter(
  db: Database,
  { id }: { readonly id: string },
): Promise<KeptLetter | null> {
  const [found] = await findOne(db, { id });
  return found ?? null;
}

async function findDeadLetterAction(
  db: Database,
  { id }: { readonly id: string },
): Promise<LetterAction | null> {
  const [found] = await findAction(db, { id });
  return found?.action ?? null;
}

/** A wish that is repeated after its answer was lost finds what it did itself. */
async function settleDeadLetter(db: Database, wish: LetterWish): Promise<LetterAction | null> {
  const [settled] = await settle(db, wish);
  return settled === undefined ? findDeadLetterAction(db, wish) : wish.action;
}

export const deadLetterOperations = ({ repeatable }: Binder): DeadLetterStore => ({
  findDeadLetters: repeatable(findDeadLetters),
  findDeadLetter: repeatable(findDeadLetter),
  settleDeadLetter: repeatable(settleDeadLetter),
  findDeadLetterAction: repeatable(findDeadLetterAction),
  findDeadLetterActions: () => repeatable(findActions)({}),
});
