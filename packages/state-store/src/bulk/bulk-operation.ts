import type {
  BulkAction,
  BulkCounts,
  BulkOutcome,
  BulkProgress,
  BulkState,
  Json,
  JsonPatch,
} from "@holdfast/domain";
import { exactlyOnce, repeatable } from "../postgres/operation.ts";
import { query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** One action on many tasks, and how far it is. */
export interface BulkOperation extends BulkCounts {
  readonly id: string;
  readonly action: BulkAction;
  readonly step: string | null;
  /** How the input of each resubmitted step is changed; null: it stays as it is. */
  readonly patch: JsonPatch | null;
  /** The filter as it was asked. */
  readonly filter: Json;
  readonly actor: string;
  readonly reason: string;
  readonly at: Date;
  readonly state: BulkState;
  /** How many items it has. */
  readonly matched: number;
  readonly canary: number;
  /** Items a second. */
  readonly rate: number;
  readonly stoppedBy: string | null;
  readonly stopReason: string | null;
  readonly endedAt: Date | null;
}

/** One task of a bulk operation. */
export interface BulkItem {
  /** Its place in the order of the items. */
  readonly number: number;
  readonly taskId: string;
  readonly outcome: BulkOutcome;
  /** Why it was refused, or what it failed again with. */
  readonly code: string | null;
  /** What the action was applied to; null: the task as a whole, or nothing yet. */
  readonly step: string | null;
  readonly at: Date;
}

export interface ByTenant {
  readonly tenant: string;
}

const findOperations = query("find-bulk-operations", rowsOf<BulkOperation>());
const findOperation = query("find-bulk-operation", rowsOf<BulkOperation>());
const findItems = query("find-bulk-items", rowsOf<BulkItem>());
const stopOperation = query("stop-bulk-operation", rowsOf<{ id: string }>());

/** A page of operations, latest first, of those with an id below `before`. */
export const listBulkOperations = repeatable(
  (
    db,
    params: ByTenant & { readonly before: string | null; readonly most: number },
  ): Promise<readonly BulkOperation[]> => findOperations(db, params),
);

/** Finds a bulk operation; null: this tenant has none of that id. */
export const findBulkOperation = repeatable(
  async (db, params: ByTenant & { readonly id: string }): Promise<BulkOperation | null> =>
    (await findOperation(db, params))[0] ?? null,
);

/** Which items of an operation are asked for. */
export interface BulkItemsQuery {
  readonly id: string;
  /** The outcome that items must have; null: any. */
  readonly outcome: BulkOutcome | null;
  /** The number after which the page begins; 0: the first. */
  readonly after: number;
  readonly most: number;
}

/** A page of the items of an operation, in their order. */
export const listBulkItems = repeatable(
  (db, request: BulkItemsQuery): Promise<readonly BulkItem[]> => findItems(db, request),
);

export interface BulkStop extends ByTenant {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
}

/** Applies no further item of an operation. False: it has ended, or there is none. */
export const stopBulkOperation = exactlyOnce(
  async (db, stop: BulkStop): Promise<boolean> => (await stopOperation(db, stop)).length > 0,
);

/** A locked operation, or one that was looked at. */
export interface BulkWork extends BulkProgress {
  readonly id: string;
  readonly action: BulkAction;
  readonly rate: number;
  readonly pacedFrom: number;
  readonly now: number;
}

const findWork = query("find-bulk-work", rowsOf<BulkWork>());

/** The operations of which something is to be applied or verified. */
export const findBulkWork = repeatable((db): Promise<readonly BulkWork[]> => findWork(db, {}));
