import {
  type BulkAction,
  type BulkState,
  firstBulkState,
  type Json,
  type JsonPatch,
} from "@holdfast/domain";
import { composed, exactlyOnce, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { TaskFilter } from "../read/list-tasks.ts";
import { type ChosenTask, chooseTasks, mostBulkItems } from "./choose-items.ts";

/** What is to be done to which tasks. */
export interface BulkAsked {
  readonly action: BulkAction;
  /** The step; null: the only one that can be meant. */
  readonly step: string | null;
  /** What a resolved step returned; undefined: nothing was said. */
  readonly output: Json | undefined;
  /** How the input of each resubmitted step is changed; absent: it stays as it is. */
  readonly patch?: JsonPatch | undefined;
}

export interface NewBulkOperation extends BulkAsked {
  readonly tenant: string;
  /** The filter as it was asked. */
  readonly filter: Json;
  readonly actor: string;
  readonly reason: string;
  readonly canary: number;
  /** Items a second. */
  readonly rate: number;
  /** The idempotency key: the same key stands for the same operation. */
  readonly key: string | null;
  /** The hash of all that was asked. */
  readonly hash: string;
}

export type BulkCreated =
  | { readonly kind: "created" | "replayed"; readonly id: string }
  /** The key stands for another one. */
  | { readonly kind: "conflict" }
  | { readonly kind: "tooManyOpen"; readonly most: number };

/** How many operations may be open at a time. */
const mostOpen = 20;
/** Items that one statement writes. */
const itemsAtATime = 10_000;

interface Known {
  readonly known: { readonly id: string; readonly hash: string } | null;
  readonly open: number;
}

const lockCreation = query("lock-bulk-creation");
const findByKey = query("find-bulk-by-key", rowsOf<Known>());
const insertOperation = query("insert-bulk-operation", rowsOf<{ id: string }>());
const insertItems = query("insert-bulk-items");

/**
 * Creates an operation on the tasks that match now: all its items, or nothing. `tooManyTasks`:
 * there are more than one may have. Takes effect exactly once.
 */
export const createBulkOperation = composed(
  async (
    context,
    { tasks, request }: { readonly tasks: TaskFilter; readonly request: NewBulkOperation },
  ): Promise<BulkCreated | { readonly kind: "tooManyTasks"; readonly most: number }> => {
    // Before the tasks are looked at, which is what costs.
    const found = await findObstacle(context)(request);
    if (found !== null) return found;
    const items = await chooseTasks(context, tasks);
    if (items === null) return { kind: "tooManyTasks", most: mostBulkItems };
    return create(context)({ request, items });
  },
);

const findObstacle = repeatable(findBulkObstacle);
const create = exactlyOnce(writeBulkOperation);

/**
 * What stands in the way of a new operation, or what its key stands for already; null: nothing
 * does.
 */
async function findBulkObstacle(
  db: Database,
  { tenant, key, hash }: Pick<NewBulkOperation, "tenant" | "key" | "hash">,
): Promise<Exclude<BulkCreated, { kind: "created" }> | null> {
  const [found] = await findByKey(db, { tenant, key, most: mostOpen });
  const { known = null, open = 0 } = found ?? {};
  if (known !== null) {
    return known.hash === hash ? { kind: "replayed", id: known.id } : { kind: "conflict" };
  }
  return open >= mostOpen ? { kind: "tooManyOpen", most: mostOpen } : null;
}

/** Writes an operation with all its items: all of it or nothing. */
async function writeBulkOperation(
  db: Database,
  { request, items }: { readonly request: NewBulkOperation; readonly items: readonly ChosenTask[] },
): Promise<BulkCreated> {
  await lockCreation(db, {});
  const obstacle = await findBulkObstacle(db, request);
  if (obstacle !== null) return obstacle;
  const { output, patch, filter, ...rest } = request;
  const [row] = await insertOperation(db, {
    ...rest,
    output: output === undefined ? null : JSON.stringify(output),
    patch: patch === undefined ? null : JSON.stringify(patch),
    filter: JSON.stringify(filter),
    state: firstState(request, items.length),
    matched: items.length,
  });
  const { id } = row!;
  const numbered = items.map((item, index) => ({ ...item, number: index + 1 }));
  for (let from = 0; from < numbered.length; from += itemsAtATime) {
    const some = numbered.slice(from, from + itemsAtATime);
    await insertItems(db, {
      id,
      ...columns(some, { numbers: "number", taskIds: "taskId", versions: "version" }),
    });
  }
  return { kind: "created", id };
}

const firstState = ({ canary }: NewBulkOperation, waiting: number): BulkState =>
  firstBulkState({ canary, waiting, applied: 0, refused: 0, succeeded: 0, failedAgain: 0 });
