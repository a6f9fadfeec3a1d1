import {
  decide,
  hasConditions,
  type Instant,
  type Step,
  stepsOf,
  submit,
  type Task,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { Incident } from "./apply-incidents.ts";
import type { ClaimedRow, ClaimOptions } from "./claimed-steps.ts";
import type { LockedTask } from "./load-tasks.ts";
import type { WorkflowCatalog } from "./workflow-catalog.ts";

/** Tasks that need not be read, by their ids, and the store's clock as we know it. */
export interface HeldTasks {
  readonly tasks: ReadonlyMap<string, LockedTask>;
  readonly now: Instant;
}

export type TasksInHand = ReturnType<typeof tasksInHand>;

/** Steps. Beyond that the oldest tasks are forgotten: they are read when they are needed. */
const capacity = 30_000;
/** Milliseconds. Clocks of two hosts run apart by less than one of them meanwhile. */
const clockLasts = 10_000;

/**
 * The tasks that this instance has last decided about, or claimed a step of, as it left them. Whoever
 * claimed the only step that a task has in flight need not read the task to record that the step is
 * completed: nobody else has business with it but operators and the Supervisor. Saving checks that:
 * whatever moves a task raises its version, but for a claim, which raises the attempt of its step.
 */
export function tasksInHand(catalog: Pick<WorkflowCatalog, "known">) {
  const tasks = new Map<string, LockedTask>();
  let clock = { now: 0, at: Number.NEGATIVE_INFINITY };

  let steps = 0;

  const forget = (taskId: string): LockedTask | undefined => {
    const task = tasks.get(taskId);
    if (tasks.delete(taskId)) steps -= sizeOf(task);
    return task;
  };
  const hold = (task: LockedTask): void => {
    forget(task.task.taskId);
    tasks.set(task.task.taskId, task);
    steps += sizeOf(task);
    for (const oldest of tasks.keys()) {
      if (steps <= capacity) break;
      forget(oldest);
    }
  };

  return {
    /**
     * Those of the tasks that can be decided about as they are here. They are no longer in hand then, so
     * whoever has to try again reads them. The clock is late by as long as an answer of the store takes.
     */
    take(incidents: ReadonlyMap<string, readonly Incident[]>): HeldTasks {
      const elapsed = performance.now() - clock.at;
      const taken = new Map<string, LockedTask>();
      for (const [taskId, mine] of incidents) {
        const task = forget(taskId);
        if (task === undefined || elapsed >= clockLasts) continue;
        if (isOurs(task.task, mine)) taken.set(taskId, task);
      }
      return { tasks: taken, now: clock.now + elapsed };
    },

    /** They were decided about, and are saved. */
    keep(decided: readonly { readonly before: LockedTask; readonly after: Task }[]): void {
      for (const { before, after } of decided) {
        if (isPlain(after)) hold({ ...before, task: after, version: before.version + 1 });
      }
    },

    /** We have claimed these, and the claim is committed. */
    claimed(claims: readonly ClaimedRow[], { lockedBy }: Pick<ClaimOptions, "lockedBy">): void {
      for (const claim of claims) {
        const before = tasks.get(claim.taskId) ?? newlyBegun(claim, catalog);
        if (before === null) continue;
        const task =
          before.version === claim.version ? withClaim(before.task, claim, lockedBy) : null;
        if (task === null) forget(claim.taskId);
        else hold({ ...before, task });
      }
      const [last] = claims;
      if (last !== undefined) clock = { now: last.now, at: performance.now() };
    },
  };
}

const sizeOf = (held: LockedTask | undefined): number => held?.task.steps.size ?? 0;

/** Nothing can become of it but that its next step is done, so far. */
const isPlain = ({ goal, processState, paused, workflow }: Task): boolean =>
  goal === "do" && processState === "processing" && !paused && !hasConditions(workflow);

/** The one step in flight is completed. While others are, or may be claimed, others may be deciding. */
function isOurs(task: Task, [incident, ...others]: readonly Incident[]): boolean {
  if (incident === undefined || others.length > 0) return false;
  const { event, expectedVersion } = incident;
  if (event.kind !== "completed" || expectedVersion !== undefined) return false;
  const { step: name, attempt, token, agent } = event;
  const isReplyTo = (step: Step): boolean =>
    step.processState === "processing" &&
    step.plan.name === name &&
    step.attempt === attempt &&
    step.token === token &&
    step.plan.agent === (agent ?? step.plan.agent);
  const open = stepsOf(task).filter(({ processState }) => !resting.has(processState));
  return open.length === 1 && open.every(isReplyTo);
}

const resting: ReadonlySet<string> = new Set(["waiting", "processed", "skipped"]);

/** All that ever happened to the task is its submission and, just now, this claim. */
function newlyBegun(
  { taskId, workflow, attempt, version, priority, replyTo, correlationId }: ClaimedRow,
  catalog: Pick<WorkflowCatalog, "known">,
): LockedTask | null {
  const plan = catalog.known(workflow)?.plan;
  if (plan === undefined || hasConditions(plan) || attempt !== 1 || version !== 2) return null;
  return { version, priority, replyTo, correlationId, task: { ...submitted(plan), taskId } };
}

const submissions = new WeakMap<WorkflowPlan, Task>();

/** What tasks of a workflow without conditions are like at first: all of them alike. */
function submitted(plan: WorkflowPlan): Task {
  const known = submissions.get(plan);
  if (known !== undefined) return known;
  const { task } = submit("", plan, { now: 0, random: Math.random, valueOf: null });
  submissions.set(plan, task);
  return task;
}

/** Null: it is not as we thought. */
function withClaim(
  task: Task,
  { name: step, attempt, token, now }: ClaimedRow,
  by: string,
): Task | null {
  const event = { kind: "claimed", step, by, token } as const;
  const decision = decide(task, event, { now, random: Math.random, valueOf: null });
  return decision.applied && decision.task.steps.get(step)?.attempt === attempt
    ? decision.task
    : null;
}
