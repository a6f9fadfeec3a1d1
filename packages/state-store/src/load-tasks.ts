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
  readonly planOf: (name: string) => Promise<WorkflowPlan | null>;
  /** Those that need not be read. */
  readonly held: HeldTasks;
  /** Knows which months have partitions: the ids may be anybody's. */
  readonly busy: BusyMonths;
}

/**
 * Locks tasks, in the order of their ids, then what a claim could take of their steps, then loads the
 * steps: each in a statement of its own, so that it sees what was committed while the one before
 * it waited. `now` is the store's clock with all locks in hand. With `skipLocked`, tasks in other hands
 * are left out, as are always those whose workflow is not stored: nobody can decide about them.
 *
 * Tasks in hand are not loaded; where all are, none is locked either: saving them checks what they were.
 */
export async function loadTasks(
  db: Database,
  taskIds: readonly string[],
  { skipLocked, planOf, held, busy }: LoadOptions,
): Promise<{ tasks: readonly LockedTask[]; now: Instant }> {
  if (held.tasks.size === taskIds.length) {
    return { tasks: [...held.tasks.values()].toSorted(byId), now: held.now };
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
  const tasks = rows.map(async (row) => {
    const inHand = held.tasks.get(row.taskId);
    if (inHand !== undefined) return inHand;
    const { version, priority, replyTo, correlationId, workflow, ...rest } = row;
    const plan = await planOf(workflow);
    if (plan === null) return null;
    const task = {
      ...rest,
      workflow: plan,
      steps: toSteps(plan, stepsByTask.get(row.taskId) ?? []),
    };
    return { version, priority, replyTo, correlationId, task };
  });
  const known = (await Promise.all(tasks)).filter((task) => task !== null);
  return { tasks: known, now: stepRows[0]?.now ?? held.now };
}

/** Whether these attempts have succeeded, as seen when whoever may be saying so now has ended. */
export async function haveSucceeded(
  db: Database,
  attempts: readonly { readonly taskId: string; readonly step: string; readonly attempt: number }[],
): Promise<boolean> {
  const taskIds = attempts.map(({ taskId }) => taskId);
  const months = monthsOf(taskIds);
  await lockTasks(db, months, { taskIds, format: definitionFormat });
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
