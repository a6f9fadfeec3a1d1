import type { TaskFilter } from "../read/list-tasks.ts";
import type { Keeping } from "../retention/retention.ts";
import type { AppliedItems, BulkRound } from "./apply-items.ts";
import type {
  BulkItem,
  BulkItemsWish,
  BulkOperation,
  BulkStop,
  BulkWork,
} from "./bulk-operation.ts";
import type { BulkAsked, BulkCreated, NewBulkOperation } from "./create-bulk-operation.ts";
import type { BulkForecast } from "./judge-tasks.ts";
import type { VerifiedItems } from "./verify-items.ts";

/** What the state store does about bulk operations. */
export interface BulkStore {
  /**
   * Judges which of the tasks that match an action could be applied to now. Null: there are more than an operation
   * may have. Changes nothing. Safe to repeat.
   */
  forecastBulkOperation(params: {
    readonly tasks: TaskFilter;
    readonly asked: BulkAsked;
  }): Promise<BulkForecast | null>;
  /**
   * Creates an operation on the tasks that match now: all its items, or nothing. `tooManyTasks`: there are more than
   * one may have. Takes effect exactly once.
   */
  createBulkOperation(params: {
    readonly tasks: TaskFilter;
    readonly wish: NewBulkOperation;
  }): Promise<BulkCreated | { readonly kind: "tooManyTasks"; readonly most: number }>;
  /** A page of operations, latest first, of those with an id below `before`. Safe to repeat. */
  listBulkOperations(params: {
    readonly tenant: string;
    readonly before: string | null;
    readonly most: number;
  }): Promise<readonly BulkOperation[]>;
  /** Finds a bulk operation; null: this tenant has none of that id. Safe to repeat. */
  findBulkOperation(params: {
    readonly tenant: string;
    readonly id: string;
  }): Promise<BulkOperation | null>;
  /** A page of the items of an operation, in their order. Safe to repeat. */
  listBulkItems(wish: BulkItemsWish): Promise<readonly BulkItem[]>;
  /** Applies no further item of an operation. False: it has ended, or there is none. Takes effect exactly once. */
  stopBulkOperation(stop: BulkStop): Promise<boolean>;
  /** The operations of which something is to be applied or verified. Safe to repeat. */
  findBulkWork(): Promise<readonly BulkWork[]>;
  /**
   * Applies an operation to the next tasks after an item that its rate and its canary allow, at most `batch`. Tasks and
   * items change in one transaction: safe to repeat.
   */
  applyBulkItems(round: BulkRound): Promise<AppliedItems>;
  /** Saves the outcomes of the next applied items that have one by now. Safe to repeat. */
  verifyBulkItems(params: {
    readonly id: string;
    readonly action: BulkWork["action"];
    readonly after: number;
    readonly batch: number;
  }): Promise<VerifiedItems>;
  /** Deletes a batch of ended bulk operations with their items; returns how many rows. Takes effect exactly once. */
  deleteOldBulkOperations(keeping: Keeping): Promise<number>;
}
