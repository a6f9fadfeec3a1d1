import {
  type AttemptOfTask,
  type BulkState,
  bulkAllowance,
  bulkFactsOf,
  bulkVerdictOf,
  type DecidedBatch,
  mayApply,
} from "@holdfast/domain";
import { faultOfTask } from "../apply/apply-events.ts";
import { decideLoaded, saveBatch } from "../apply/apply-together.ts";
import { type LoadedTasks, loadTasks, noneCached } from "../apply/load-tasks.ts";
import { readValues } from "../apply/load-values.ts";
import { composed } from "../postgres/operation.ts";
import { type Database, query, queryAmong } from "../postgres/query.ts";
import { type Decided, inTransaction, untilQuick, withRetries } from "../postgres/transaction.ts";
import type { StoreContext } from "../store-context.ts";
import { briefReads, type FindWorkflow } from "../workflows/workflow-catalog.ts";
import {
  type ItemChange,
  type LockedOperation,
  lockOperation,
  saveAdvance,
  saveItemChanges,
} from "./lock-operation.ts";
import { itemRefusalOf, type ReportedRequest, reportedRequestsOf } from "./request-of.ts";

/** What a round has done to one operation. */
export interface AppliedItems {
  readonly applied: number;
  readonly refused: number;
  /** The state of the operation; null: another Supervisor holds it, or it is gone. */
  readonly state: BulkState | null;
  /** Attempts that need not be finished, because their tasks are now being undone. */
  readonly obsoleteAttempts: readonly AttemptOfTask[];
  /** The item after which to go on; null: these were the last that wait. */
  readonly next: number | null;
}

interface Item {
  readonly number: number;
  readonly taskId: string;
}

const takeItems = query("take-bulk-items");
const findTasks = queryAmong("find-bulk-tasks");

const nothing: AppliedItems = {
  applied: 0,
  refused: 0,
  state: null,
  obsoleteAttempts: [],
  next: null,
};

export interface BulkRound {
  readonly id: string;
  /** The item after which to go on; 0: from the first one that waits. */
  readonly after: number;
  readonly batch: number;
}

/**
 * Applies an operation to the next of its tasks that its rate and its canary allow, at most
 * `batch`: tasks and items change in one transaction, so nothing is done twice and nothing
 * forgotten. A task that cannot be saved is refused, and affects no other. One that is locked, or
 * that only a newer release can read, waits: the next round goes on after it. Safe to repeat.
 */
export const applyBulkItems = composed(async (context, round: BulkRound): Promise<AppliedItems> => {
  try {
    return await withRetries(() => applyNext(context, round));
  } catch (error) {
    faultOfTask(error);
  }
  const one = { ...round, batch: 1 };
  try {
    return await withRetries(() => applyNext(context, one));
  } catch (error) {
    const { code } = faultOfTask(error);
    return withRetries(() => refuseNext(context, round, code));
  }
});

function applyNext(context: StoreContext, round: BulkRound): Promise<AppliedItems> {
  const reads = briefReads(context.catalog, context.pool);
  return untilQuick(() => applyBriefly(context, round, reads.begin()));
}

function applyBriefly(
  context: StoreContext,
  { id, after, batch }: BulkRound,
  findWorkflow: FindWorkflow,
): Promise<AppliedItems> {
  return inTransaction(context.pool, async (client) => {
    const operation = await lockOperation(client, id);
    if (operation === null) return { sent: [], result: () => nothing };
    const most = Math.min(batch, mayApply(operation), bulkAllowance(operation));
    const items = most > 0 ? await takeItems(client, { id, after, most }) : [];
    if (items.length === 0) {
      // At the end it begins anew; where the rate allows nothing yet, it stays where it is.
      const next = most > 0 || after === 0 ? null : after;
      return { sent: [], result: () => ({ ...nothing, state: operation.state, next }) };
    }
    return applyTo(context, client, { operation, items, findWorkflow });
  });
}

interface Applying {
  readonly operation: LockedOperation;
  readonly items: readonly Item[];
  readonly findWorkflow: FindWorkflow;
}

async function applyTo(
  context: StoreContext,
  client: Database,
  { operation, items, findWorkflow }: Applying,
): Promise<Decided<AppliedItems>> {
  const { partitions } = context;
  const taskIds = items.map(({ taskId }) => taskId);
  const loaded = await loadTasks(client, taskIds, {
    skipLocked: true,
    findWorkflow: (name) => findWorkflow(client, name),
    cached: noneCached,
    partitions,
  });
  const { action, step, output, hasOutput, patch, actor, reason, id } = operation;
  const asked = {
    action,
    step,
    output: hasOutput ? output : undefined,
    patch: patch ?? undefined,
  };
  const tasks = loaded.tasks.map(({ task }) => task);
  const requests = await reportedRequestsOf(tasks, {
    asked,
    now: loaded.now,
    workflowOf: (name) => findWorkflow(client, name),
    load: (options) => readValues(client, options),
  });
  const reportedEvents = [...requests.values()].flatMap((request) =>
    "reported" in request ? [request.reported] : [],
  );
  const batch = await decideLoaded(context, client, { loaded, reportedEvents });
  const note = `${reason} (bulk operation ${id})`;
  const saved = saveBatch(context, client, {
    loaded,
    batch,
    reportedEvents,
    options: { actor, note },
  });
  const gone = await goneTasks(context, client, { taskIds, loaded });
  const changes = changesOf(items, { operation, loaded, requests, batch, gone });
  const outcomes = changes.map(({ outcome }) => outcome);
  const sendItems = saveItemChanges(client, id, { before: "waiting", changes });
  const { after, sent } = saveAdvance(client, operation, { before: "waiting", outcomes, changes });
  return {
    sent: [...saved.sent, sendItems, sent],
    result: () => ({
      applied: outcomes.filter((outcome) => outcome !== "refused").length,
      refused: outcomes.filter((outcome) => outcome === "refused").length,
      state: after.state,
      obsoleteAttempts: batch.obsoleteAttempts,
      next: items.at(-1)!.number,
    }),
  };
}

/**
 * The tasks among those that were not loaded that there are not any more. The others are locked by
 * another transaction, or only a newer release can read them.
 */
async function goneTasks(
  { partitions }: StoreContext,
  client: Database,
  { taskIds, loaded }: { readonly taskIds: readonly string[]; readonly loaded: LoadedTasks },
): Promise<ReadonlySet<string>> {
  const known = new Set([
    ...loaded.tasks.map(({ task }) => task.taskId),
    ...loaded.unusable.map(({ taskId }) => taskId),
  ]);
  const missing = taskIds.filter((taskId) => !known.has(taskId));
  if (missing.length === 0) return new Set();
  const found = await findTasks(client, partitions.monthsOf(missing), { taskIds: missing });
  const there = new Set(found.map(({ taskId }) => taskId));
  return new Set(missing.filter((taskId) => !there.has(taskId)));
}

interface Judged {
  readonly operation: LockedOperation;
  readonly loaded: LoadedTasks;
  readonly requests: ReadonlyMap<string, ReportedRequest>;
  readonly batch: DecidedBatch;
  readonly gone: ReadonlySet<string>;
}

/**
 * What became of each item. One whose task was not loaded is left out, and taken again after all
 * others.
 */
function changesOf(
  items: readonly Item[],
  { operation, loaded, requests, batch, gone }: Judged,
): readonly ItemChange[] {
  const unusable = new Set(loaded.unusable.map(({ taskId }) => taskId));
  const decided = new Map(batch.decided.map((one) => [one.after.taskId, one]));
  const reported = [...requests.values()].filter((request) => "reported" in request);
  const outcomes = new Map(
    reported.map((request, index) => [request.reported.taskId, batch.outcomes[index]!]),
  );
  return items.flatMap(({ number, taskId }): readonly ItemChange[] => {
    const refuse = (code: string): readonly ItemChange[] => [
      { ...unapplied, number, taskId, outcome: "refused", code },
    ];
    if (gone.has(taskId)) return refuse("task.unknown");
    if (unusable.has(taskId)) return refuse("task.not_usable");
    const request = requests.get(taskId);
    if (request === undefined) return [];
    if ("refusal" in request) return refuse(request.refusal);
    const outcome = outcomes.get(taskId)!;
    if (!outcome.applied) return refuse(itemRefusalOf(outcome));
    const { step, attempt } = request;
    const { before, after } = decided.get(taskId)!;
    const verdict = bulkVerdictOf({ action: operation.action, step }, bulkFactsOf(after, step));
    const appliedVersion = before.version + 1;
    return [{ number, taskId, ...verdict, step, attempt, appliedVersion }];
  });
}

const unapplied = { step: null, attempt: null, appliedVersion: null } as const;

/** The next item cannot be saved, also by itself. */
function refuseNext(
  context: StoreContext,
  { id, after: from }: BulkRound,
  code: string,
): Promise<AppliedItems> {
  return inTransaction(context.pool, async (client) => {
    const operation = await lockOperation(client, id);
    const [item] = operation === null ? [] : await takeItems(client, { id, after: from, most: 1 });
    if (operation === null || item === undefined) return { sent: [], result: () => nothing };
    const changes: readonly ItemChange[] = [{ ...unapplied, ...item, outcome: "refused", code }];
    const advance = { before: "waiting", outcomes: ["refused"], changes } as const;
    const { after, sent } = saveAdvance(client, operation, advance);
    return {
      sent: [saveItemChanges(client, id, { before: "waiting", changes }), sent],
      result: () => ({ ...nothing, refused: 1, state: after.state, next: item.number }),
    };
  });
}
