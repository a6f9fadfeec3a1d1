import type {
  Goal,
  Instant,
  Step,
  StepState,
  Task,
  TaskState,
  WorkflowPlan,
} from "@holdfast/domain";
import { definitionFormat } from "@holdfast/domain";
import type { BusyMonths } from "./busy-months.ts";
import { monthsOf } from "./id-ranges.ts";
import { type Database, queryAmong } from "./query.ts";
import type { HeldTasks } from "./tasks-in-hand.ts";
import { isUsable, type StoredWorkflow, type UnusableWorkflow } from "./workflow-catalog.ts";

/** A locked task that cannot be decided about. */
export interface UnusableTask {
  readonly taskId: string;
  /** For people. */
  readonly problem: string;
  /** Its workflow, if no task of it can be decided about; null: only this task is affected. */
  readonly workflow: string | null;
}

/** A task in our hands until the transaction ends. */
export interface LockedTask {
  readonly task: Task;
  readonly version: number;
  readonly priority: number;
  /** The queue of whoever submitted it, if it wants to be told. */
  readonly replyTo: string | null;
  readonly correlationId: string | null;
}

interface TaskRow {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: number;
  readonly faultCode: string | null;
  readonly paused: boolean;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
}

interface StepRow {
  readonly taskId: string;
  readonly name: string;
  readonly processState: StepState;
  readonly attempt: number;
  readonly now: Instant;
}

type TaskIds = { readonly taskIds: readonly string[] };
const lockTasks = queryAmong<TaskIds & { readonly format: number }, TaskRow>("lock-tasks");
const lockFreeTasks = queryAmong<TaskIds & { readonly format: number }, TaskRow>("lock-free-tasks");
const lockPendingSteps = queryAmong<TaskIds>("lock-pending-steps");
const loadSteps = queryAmong<TaskIds, StepRow>("load-steps");

interface LoadOptions {
  readonly skipLocked: boolean;
  readonly findWorkflow: (name: string) => Promise<StoredWorkflow | UnusableWorkflow>;
  /** Those that need not be read. */
  readonly held: HeldTasks;
  /** Knows which months have partitions: the ids may be anybody's. */
  readonly busy: BusyMonths;
}

interface LoadedTasks {
  readonly tasks: readonly LockedTask[];
  readonly unusable: readonly UnusableTask[];
  readonly now: Instant;
}

/**
 * Locks tasks, in the order of their ids, then what a claim could take of their steps, then loads the
 * steps: each in a statement of its own, so that it sees what was committed while the one before
 * it waited. `now` is the store's clock with all locks in hand. With `skipLocked`, tasks in other hands
 * are left out. Tasks whose definition cannot be used, or whose steps are not those of their definition, are
 * returned as unusable.
 *
 * Tasks in hand are not loaded; where all are, none is locked either: saving them checks what they were.
 */
export async function loadTasks(
  db: Database,
  taskIds: readonly string[],
  { skipLocked, findWorkflow, held, busy }: LoadOptions,
): Promise<LoadedTasks> {
  if (held.tasks.size === taskIds.length) {
    return { tasks: [...held.tasks.values()].toSorted(byId), unusable: [], now: held.now };
  }
  const lock = skipLocked ? lockFreeTasks : lockTasks;
  const months = busy.monthsOf(taskIds);
  const taskRows = lock(db, months, { taskIds, format: definitionFormat });
  const unknown = (ids: readonly string[]) => ids.filter((taskId) => !held.tasks.has(taskId));
  // Steps of a task that was left out are not decided about; locking them as well would wait.
  const stepIds = skipLocked ? (await taskRows).map(({ taskId }) => taskId) : taskIds;
  const steps = { taskIds: unknown(stepIds) };
  const [rows, , stepRows] = await Promise.all([
    taskRows,
    lockPendingSteps(db, months, steps),
    loadSteps(db, months, steps),
  ]);
  const stepsByTask = Map.groupBy(stepRows, ({ taskId }) => taskId);
  const loaded = await Promise.all(
    rows.map(async (row): Promise<LockedTask | UnusableTask> => {
      const { taskId, version, priority, replyTo, correlationId, workflow: name, ...rest } = row;
      const inHand = held.tasks.get(taskId);
      if (inHand !== undefined) return inHand;
      const found = await findWorkflow(name);
      if (!isUsable(found)) return { taskId, problem: found.problem, workflow: name };
      const workflow = found.plan;
      const mine = stepsByTask.get(taskId) ?? [];
      const known = toSteps(workflow, mine);
      const problem = mismatchOf(workflow, known, mine);
      if (problem !== null) return { taskId, problem, workflow: null };
      const task = { ...rest, taskId, workflow, steps: known };
      return { version, priority, replyTo, correlationId, task };
    }),
  );
  return {
    tasks: loaded.filter((one) => "task" in one),
    unusable: loaded.filter((one) => "problem" in one),
    now: stepRows[0]?.now ?? held.now,
  };
}

/** Locks tasks, in the order of their ids, and reads nothing of their steps. */
export const lockAll = (db: Database, taskIds: readonly string[]): Promise<unknown> =>
  lockTasks(db, monthsOf(taskIds), { taskIds, format: definitionFormat });

/** Whether these attempts have succeeded, as seen when whoever may be saying so now has ended. */
export async function haveSucceeded(
  db: Database,
  attempts: readonly { readonly taskId: string; readonly step: string; readonly attempt: number }[],
): Promise<boolean> {
  const taskIds = attempts.map(({ taskId }) => taskId);
  const months = monthsOf(taskIds);
  await lockAll(db, taskIds);
  const steps = Map.groupBy(await loadSteps(db, months, { taskIds }), ({ taskId }) => taskId);
  return attempts.every(({ taskId, step, attempt }) => {
    const row = steps.get(taskId)?.find(({ name }) => name === step);
    return row?.attempt === attempt && row.processState === "processed";
  });
}

const byId = (a: LockedTask, b: LockedTask): number => (a.task.taskId < b.task.taskId ? -1 : 1);

/** In the order of the definition, as the domain keeps them. */
function toSteps(plan: WorkflowPlan, rows: readonly StepRow[]): ReadonlyMap<string, Step> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const steps = new Map<string, Step>();
  for (const stepPlan of plan.steps.values()) {
    const row = byName.get(stepPlan.name);
    if (row !== undefined) steps.set(stepPlan.name, { ...row, plan: stepPlan } as unknown as Step);
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
    if (plan.kind === "call" && !steps.has(plan.name)) return `its step ${plan.name} is missing`;
  }
  return null;
}
