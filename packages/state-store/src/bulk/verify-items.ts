import {
  type BulkAction,
  type BulkFacts,
  type BulkState,
  bulkVerdictOf,
  type Goal,
  type StepState,
  type TaskState,
} from "@holdfast/domain";
import { composed } from "../postgres/operation.ts";
import { type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";
import type { StoreContext } from "../store-context.ts";
import { type ItemChange, lockOperation, saveAdvance, saveItemChanges } from "./lock-operation.ts";

/** What a look at some of the applied items has shown. */
export interface VerifiedItems {
  /** The item after which to go on; null: these were the last. */
  readonly next: number | null;
  /** How many have their outcome now. */
  readonly verified: number;
  /** The state of the operation, if anything was verified. */
  readonly state: BulkState | null;
}

interface AppliedItem {
  readonly number: number;
  readonly taskId: string;
  readonly step: string | null;
  readonly appliedVersion: number | null;
}

interface TaskRow {
  readonly taskId: string;
  readonly version: number;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly faultCode: string | null;
}

interface StepRow {
  readonly taskId: string;
  readonly name: string;
  readonly processState: StepState;
  readonly faultCode: string | null;
}

const findApplied = query("find-applied-items", rowsOf<AppliedItem>());
const findTasks = queryAmong("find-bulk-tasks", rowsOf<TaskRow>());
const findSteps = queryAmong("find-bulk-steps", rowsOf<StepRow>());

export interface VerifyRequest {
  readonly id: string;
  readonly action: BulkAction;
  readonly after: number;
  readonly batch: number;
}

/**
 * Saves the outcomes of the next applied items that have one by now. What is read without a lock
 * can only be too old: an outcome is final, so it is saved under the lock of the operation for each
 * item that has none yet. Safe to repeat.
 */
export const verifyBulkItems = composed(
  async (context, { id, action, after, batch }: VerifyRequest): Promise<VerifiedItems> => {
    const { pool } = context;
    const items = await withRetries(() => findApplied(pool, { id, after, batch }));
    const next = items.length < batch ? null : items.at(-1)!.number;
    const changes = await withRetries(() => verdictsOf(context, items, action));
    const unseen: VerifiedItems = { next, verified: 0, state: null };
    if (changes.length === 0) return unseen;
    return withRetries(() =>
      inTransaction<VerifiedItems>(pool, async (client) => {
        const operation = await lockOperation(client, id);
        // It is looked at again after the others.
        if (operation === null) return { sent: [], result: () => unseen };
        const outcomes = await saveItemChanges(client, id, { before: "applied", changes });
        const advance = { before: "applied", outcomes, changes } as const;
        const { after: advanced, sent } = saveAdvance(client, operation, advance);
        return {
          sent: [sent],
          result: () => ({ next, verified: outcomes.length, state: advanced.state }),
        };
      }),
    );
  },
);

/** The items that have a final outcome. */
async function verdictsOf(
  { pool, partitions }: StoreContext,
  items: readonly AppliedItem[],
  action: BulkAction,
): Promise<readonly ItemChange[]> {
  const taskIds = items.map(({ taskId }) => taskId);
  if (taskIds.length === 0) return [];
  const months = partitions.monthsOf(taskIds);
  const tasks = new Map(
    (await findTasks(pool, months, { taskIds })).map((row) => [row.taskId, row]),
  );
  const moved = items.filter(
    ({ taskId, appliedVersion }) => tasks.get(taskId)?.version !== appliedVersion,
  );
  const steps = await stepsOf(pool, months, moved);
  return moved.flatMap(({ number, taskId, step: name, appliedVersion }): readonly ItemChange[] => {
    const task = tasks.get(taskId);
    const step = steps.get(`${taskId} ${name}`) ?? null;
    const facts: BulkFacts | null = task === undefined ? null : { ...task, step };
    const { outcome, code } = bulkVerdictOf({ action, step: name }, facts);
    if (outcome === "applied") return [];
    return [{ number, taskId, outcome, code, step: name, attempt: null, appliedVersion }];
  });
}

async function stepsOf(
  db: Database,
  months: Parameters<typeof findSteps>[1],
  items: readonly AppliedItem[],
): Promise<ReadonlyMap<string, StepRow>> {
  const named = items.filter(({ step }) => step !== null);
  if (named.length === 0) return new Map();
  const taskIds = named.map(({ taskId }) => taskId);
  const names = [...new Set(named.flatMap(({ step }) => step ?? []))];
  const rows = await findSteps(db, months, { taskIds, names });
  return new Map(rows.map((row) => [`${row.taskId} ${row.name}`, row]));
}
