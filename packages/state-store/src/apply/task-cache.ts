import {
  agentOf,
  decide,
  hasConditions,
  hasWaits,
  type Instant,
  type ReportedTaskEvent,
  type Step,
  stepsOf,
  submit,
  type Task,
  type VersionedTask,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { ClaimedRow, ClaimOptions } from "../claim/claimed-step.ts";
import type { WorkflowCatalog } from "../workflows/workflow-catalog.ts";

/** Tasks that need not be loaded, by their ids, and the store's clock as the cache knows it. */
export interface CachedTasks {
  readonly tasks: ReadonlyMap<string, VersionedTask>;
  readonly now: Instant;
}

/**
 * Spares the load of tasks that this instance has just saved or claimed. A store without it behaves
 * the same: `noTaskCache`.
 */
export interface TaskCache {
  /**
   * Removes and returns the tasks that can be decided about without loading them: a retry then
   * loads them. The clock is late by the time that an answer of the store takes.
   */
  take(reportedEvents: ReadonlyMap<string, readonly ReportedTaskEvent[]>): CachedTasks;
  /** Records tasks that were decided about and saved. */
  keep(decided: readonly { readonly before: VersionedTask; readonly after: Task }[]): void;
  /** Records steps that this instance has claimed in a committed transaction. */
  claimed(claims: readonly ClaimedRow[], options: Pick<ClaimOptions, "lockedBy">): void;
}

/** Loads every task. */
export const noTaskCache: TaskCache = {
  take: () => ({ tasks: new Map(), now: 0 }),
  keep: () => {},
  claimed: () => {},
};

/** Steps. Beyond that the oldest tasks are evicted. */
const maxSteps = 30_000;
/** Milliseconds. Clocks of two hosts run apart by less than one of them meanwhile. */
const clockLasts = 10_000;

/**
 * The tasks that this instance has last decided about, or claimed a step of, as it left them. The
 * Scheduler that claimed the only step of a task in flight need not load the task to record that
 * the step is completed: only operators and the Supervisor could have changed it. Saving checks
 * that: every change of a task raises its version, except a claim, which raises the attempt of its
 * step.
 */
export function taskCache(catalog: Pick<WorkflowCatalog, "known">): TaskCache {
  const tasks = new Map<string, VersionedTask>();
  let clock = { now: 0, at: Number.NEGATIVE_INFINITY };

  let steps = 0;

  const evict = (taskId: string): VersionedTask | undefined => {
    const task = tasks.get(taskId);
    if (tasks.delete(taskId)) steps -= sizeOf(task);
    return task;
  };
  const put = (task: VersionedTask): void => {
    evict(task.task.taskId);
    tasks.set(task.task.taskId, task);
    steps += sizeOf(task);
    for (const oldest of tasks.keys()) {
      if (steps <= maxSteps) break;
      evict(oldest);
    }
  };

  return {
    take(reportedEvents) {
      const elapsed = performance.now() - clock.at;
      const taken = new Map<string, VersionedTask>();
      for (const [taskId, mine] of reportedEvents) {
        const task = evict(taskId);
        if (task === undefined || elapsed >= clockLasts) continue;
        if (canDecideFromCache(task.task, mine)) taken.set(taskId, task);
      }
      return { tasks: taken, now: clock.now + elapsed };
    },

    keep(decided) {
      for (const { before, after } of decided) {
        if (isCacheable(after)) put({ ...before, task: after, version: before.version + 1 });
      }
    },

    claimed(claims, { lockedBy }) {
      for (const claim of claims) {
        const before = tasks.get(claim.taskId) ?? newlyBegun(claim, catalog);
        if (before === null) continue;
        const task =
          before.version === claim.version ? withClaim(before.task, claim, lockedBy) : null;
        if (task === null) evict(claim.taskId);
        else put({ ...before, task });
      }
      const [last] = claims;
      if (last !== undefined) clock = { now: last.now, at: performance.now() };
    },
  };
}

const sizeOf = (cached: VersionedTask | undefined): number => cached?.task.steps.size ?? 0;

/** Its next event can only be the completion of a step, as far as this instance knows. */
const isCacheable = ({ goal, processState, paused, workflow }: Task): boolean =>
  goal === "do" && processState === "processing" && !paused && isCounted(workflow);

/**
 * Whether the next decision about a task needs neither values nor, for the end of a wait, the
 * store's own clock.
 */
const isCounted = (workflow: WorkflowPlan): boolean =>
  !hasConditions(workflow) && !hasWaits(workflow);

/**
 * The one event completes the one step in flight. With more steps open another Scheduler may be
 * deciding.
 */
function canDecideFromCache(
  task: Task,
  [reportedEvent, ...others]: readonly ReportedTaskEvent[],
): boolean {
  if (reportedEvent === undefined || others.length > 0) return false;
  const { event, expectedVersion } = reportedEvent;
  if (event.kind !== "completed" || expectedVersion !== undefined) return false;
  const { step: name, attempt, token, agent } = event;
  const isReplyTo = (step: Step): boolean =>
    step.processState === "processing" &&
    step.plan.name === name &&
    step.attempt === attempt &&
    step.token === token &&
    (agent === undefined || agent === agentOf(step));
  const open = stepsOf(task).filter(({ processState }) => !idle.has(processState));
  return open.length === 1 && open.every(isReplyTo);
}

const idle: ReadonlySet<string> = new Set(["waiting", "processed", "skipped"]);

/** The task of a first claim: only its submission and this claim have happened to it. */
function newlyBegun(
  claim: ClaimedRow,
  catalog: Pick<WorkflowCatalog, "known">,
): VersionedTask | null {
  const { taskId, workflow, attempt, version, priority, fairnessKey } = claim;
  const { replyTo, correlationId, traceContext = null } = claim;
  const plan = catalog.known(workflow)?.plan;
  if (plan === undefined || !isCounted(plan) || attempt !== 1 || version !== 2) return null;
  const task = { ...submitted(plan), taskId };
  return { version, priority, fairnessKey, replyTo, correlationId, traceContext, task };
}

const submissions = new WeakMap<WorkflowPlan, Task>();

/** A new task of a workflow without conditions: all of them are alike. */
function submitted(plan: WorkflowPlan): Task {
  const known = submissions.get(plan);
  if (known !== undefined) return known;
  const { task } = submit("", plan, { now: 0, random: Math.random, valueOf: null });
  submissions.set(plan, task);
  return task;
}

/** The task with a claim; null: the task is not as the cache has it. */
function withClaim(
  task: Task,
  { name: step, attempt, token, agent, now }: ClaimedRow,
  by: string,
): Task | null {
  const event = { kind: "claimed", step, by, token, agent } as const;
  const decision = decide(task, event, { now, random: Math.random, valueOf: null });
  return decision.applied && decision.task.steps.get(step)?.attempt === attempt
    ? decision.task
    : null;
}
