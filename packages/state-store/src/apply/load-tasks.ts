import type {
  Goal,
  Instant,
  Priority,
  Step,
  StepState,
  TaskState,
  VersionedTask,
  WorkflowPlan,
} from "@holdfast/domain";
import { definitionFormat, stepKinds } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { type Database, queryAmong } from "../postgres/query.ts";
import { type RowOf, rowsOf } from "../postgres/statement-types.ts";
import {
  isUsable,
  type StoredWorkflow,
  type UnusableWorkflow,
} from "../workflows/workflow-catalog.ts";
import type { CachedTasks } from "./task-cache.ts";

/** A locked task that cannot be decided about. */
export interface UnusableTask {
  readonly taskId: string;
  /** A text for people. */
  readonly problem: string;
  /** Its workflow, if no task of it can be decided about; null: only this task is affected. */
  readonly workflow: string | null;
}

interface TaskRow {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: Priority;
  readonly fairnessKey: string | null;
  readonly faultCode: string | null;
  readonly paused: boolean;
  readonly pausedAt: Instant | null;
  readonly beginAt: Instant | null;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly traceContext: string | null;
}

/** All columns: most of them are fields of a `Step`. */
type StepRow = Omit<RowOf<"load-steps">, "processState" | "now"> & {
  readonly processState: StepState;
  readonly now: Instant;
};

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
/** A row must have each of them: the compiler refuses one that a statement no longer returns. */
type StoredFields = Readonly<Record<Exclude<KeysOf<Step>, "plan">, unknown>>;

const lockTasks = queryAmong("lock-tasks", rowsOf<TaskRow>());
const lockFreeTasks = queryAmong("lock-free-tasks", rowsOf<TaskRow>());
const readRows = queryAmong("read-tasks", rowsOf<TaskRow>());
const lockPendingSteps = queryAmong("lock-pending-steps");
const loadSteps = queryAmong("load-steps", rowsOf<StepRow>());

interface LoadOptions {
  readonly skipLocked: boolean;
  readonly findWorkflow: (name: string) => Promise<StoredWorkflow | UnusableWorkflow>;
  /** Tasks that need not be loaded. */
  readonly cached: CachedTasks;
  readonly partitions: ActivePartitions;
}

export interface LoadedTasks {
  readonly tasks: readonly VersionedTask[];
  readonly unusable: readonly UnusableTask[];
  readonly now: Instant;
}

/**
 * Locks tasks, in the order of their ids, then what a claim could take of their steps, then loads
 * the steps: each in a statement of its own, so that it sees what was committed while the one
 * before it waited. `now` is the store's clock once all locks are held. With `skipLocked`, tasks
 * that another transaction has locked are skipped. Tasks whose definition cannot be used, or whose
 * steps are not those of their definition, are returned as unusable.
 *
 * Cached tasks are not loaded. If all are cached, none is locked either: saving compares their
 * versions.
 */
export async function loadTasks(
  db: Database,
  taskIds: readonly string[],
  { skipLocked, findWorkflow, cached, partitions }: LoadOptions,
): Promise<LoadedTasks> {
  if (cached.tasks.size === taskIds.length) {
    return { tasks: [...cached.tasks.values()].toSorted(byId), unusable: [], now: cached.now };
  }
  const lock = skipLocked ? lockFreeTasks : lockTasks;
  const months = partitions.monthsOf(taskIds);
  const taskRows = lock(db, months, { taskIds, format: definitionFormat });
  const unknown = (ids: readonly string[]) => ids.filter((taskId) => !cached.tasks.has(taskId));
  // Steps of a task that was left out are not decided about; locking them as well would wait.
  const stepIds = skipLocked ? (await taskRows).map(({ taskId }) => taskId) : taskIds;
  const steps = { taskIds: unknown(stepIds) };
  const [rows, , stepRows] = await Promise.all([
    taskRows,
    lockPendingSteps(db, months, steps),
    loadSteps(db, months, steps),
  ]);
  const loaded = await toTasks(rows, stepRows, { findWorkflow, cached });
  return { ...loaded, now: stepRows[0]?.now ?? cached.now };
}

/** Loads as `loadTasks` does, but locks nothing: what is decided about these tasks is not saved. */
export async function readTasks(
  db: Database,
  taskIds: readonly string[],
  { findWorkflow, partitions }: Pick<LoadOptions, "findWorkflow" | "partitions">,
): Promise<LoadedTasks> {
  const months = partitions.monthsOf(taskIds);
  const rows = await readRows(db, months, { taskIds, format: definitionFormat });
  const stepRows = await loadSteps(db, months, { taskIds });
  const loaded = await toTasks(rows, stepRows, { findWorkflow, cached: noneCached });
  return { ...loaded, now: stepRows[0]?.now ?? 0 };
}

/** An empty cache, for callers that have none, or must not use it. */
export const noneCached: CachedTasks = { tasks: new Map(), now: 0 };

async function toTasks(
  rows: readonly TaskRow[],
  stepRows: readonly StepRow[],
  { findWorkflow, cached }: Pick<LoadOptions, "findWorkflow" | "cached">,
): Promise<Omit<LoadedTasks, "now">> {
  const stepsByTask = Map.groupBy(stepRows, ({ taskId }) => taskId);
  const loaded = await Promise.all(
    rows.map(async (row): Promise<VersionedTask | UnusableTask> => {
      const { taskId, workflow: name, version, replyTo, correlationId, ...urgencyAndRest } = row;
      const { priority, fairnessKey, traceContext, pausedAt, ...rest } = urgencyAndRest;
      const fromCache = cached.tasks.get(taskId);
      if (fromCache !== undefined) return fromCache;
      const found = await findWorkflow(name);
      if (!isUsable(found)) return { taskId, problem: found.problem, workflow: name };
      const workflow = found.plan;
      const mine = stepsByTask.get(taskId) ?? [];
      const known = toSteps(workflow, mine);
      const problem = mismatchOf(workflow, known, mine);
      if (problem !== null) return { taskId, problem, workflow: null };
      const task = { ...rest, taskId, workflow, steps: known };
      const sender = { replyTo, correlationId, traceContext };
      return { version, priority, fairnessKey, pausedAt, ...sender, task };
    }),
  );
  return {
    tasks: loaded.filter((one) => "task" in one),
    unusable: loaded.filter((one) => "problem" in one),
  };
}

/** Locks tasks, in the order of their ids, and reads nothing of their steps. */
export const lockAll = (
  db: Database,
  taskIds: readonly string[],
  { partitions }: Pick<LoadOptions, "partitions">,
): Promise<unknown> =>
  lockTasks(db, partitions.monthsOf(taskIds), { taskIds, format: definitionFormat });

/**
 * Whether these attempts have succeeded. Locks the tasks first, and so waits for a commit that is
 * under way.
 */
export async function haveSucceeded(
  db: Database,
  attempts: readonly { readonly taskId: string; readonly step: string; readonly attempt: number }[],
  { partitions }: Pick<LoadOptions, "partitions">,
): Promise<boolean> {
  const taskIds = attempts.map(({ taskId }) => taskId);
  const months = partitions.monthsOf(taskIds);
  await lockAll(db, taskIds, { partitions });
  const steps = Map.groupBy(await loadSteps(db, months, { taskIds }), ({ taskId }) => taskId);
  return attempts.every(({ taskId, step, attempt }) => {
    const row = steps.get(taskId)?.find(({ name }) => name === step);
    return row?.attempt === attempt && row.processState === "processed";
  });
}

const byId = (a: VersionedTask, b: VersionedTask): number =>
  a.task.taskId < b.task.taskId ? -1 : 1;

/** Steps in the order of the definition, as the domain keeps them. */
function toSteps(plan: WorkflowPlan, rows: readonly StepRow[]): ReadonlyMap<string, Step> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const steps = new Map<string, Step>();
  for (const stepPlan of plan.steps.values()) {
    const row = byName.get(stepPlan.name);
    if (row === undefined) continue;
    const fields: StoredFields = row;
    steps.set(stepPlan.name, { ...fields, plan: stepPlan } as unknown as Step);
  }
  return steps;
}

/** Why the rows are not the steps of the definition; null: they are. */
function mismatchOf(
  { name, steps: plans }: WorkflowPlan,
  steps: ReadonlyMap<string, Step>,
  rows: readonly StepRow[],
): string | null {
  if (steps.size < rows.length) {
    const foreign = rows.find((row) => !plans.has(row.name));
    return `${name} has no step ${foreign?.name}`;
  }
  for (const plan of plans.values()) {
    const isMissing = stepKinds[plan.kind].addedAt === "submission" && !steps.has(plan.name);
    if (isMissing) return `its step ${plan.name} is missing`;
  }
  return null;
}
