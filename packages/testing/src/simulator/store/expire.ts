import {
  type Instant,
  isFinished,
  type ProcessingStep,
  type Step,
  stepsOf,
} from "@holdfast/domain";
import type { StoredTask } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { least, processingSteps, type StoreState } from "./store-state.ts";

type Expiring = Pick<AtOnce<SimulatedStore>, "findExpired" | "findStalledTasks">;

/** What the Supervisor looks for: steps and tasks whose limit has passed, and tasks that stand still. */
export const expiring = (state: StoreState): Expiring => ({
  findExpired({ batch, held = [] }) {
    const steps = processingSteps(state).filter(([{ task }]) => !held.includes(task.taskId));
    const now = state.now();
    const overdue = steps
      .filter(([, { completeBy }]) => completeBy <= now)
      .toSorted(([, a], [, b]) => a.completeBy - b.completeBy);
    const ahead = steps.flatMap(([, { completeBy }]) =>
      completeBy > now ? [completeBy - now] : [],
    );
    return {
      steps: overdue.slice(0, batch).map((found) => toExpiredStep(found, now)),
      taskIds: [...state.tasks.values()]
        .filter((stored) => hasPassedItsLimit(state, stored) && !held.includes(stored.task.taskId))
        .toSorted((a, b) => (a.completeBy ?? 0) - (b.completeBy ?? 0))
        .slice(0, batch)
        .map(({ task }) => task.taskId),
      nextIn: least(ahead),
    };
  },

  /** Looks at all tasks at once: no schedule has as many as one look takes. */
  findStalledTasks: ({ untouchedFor }) => ({
    taskIds: [...state.tasks.values()]
      .filter((stored) => isStalled(state, stored, untouchedFor))
      .map(({ task }) => task.taskId),
    next: null,
  }),
});

function toExpiredStep(
  [{ task }, { plan, attempt, token, startBy, completeBy }]: readonly [StoredTask, ProcessingStep],
  now: Instant,
) {
  const claimedAt = startBy - plan.startWithin;
  const times = { overdue: now - completeBy, lasted: completeBy - claimedAt };
  return { taskId: task.taskId, step: plan.name, attempt, token, ...times };
}

const hasPassedItsLimit = ({ now, pauses }: StoreState, stored: StoredTask): boolean =>
  stored.completeBy !== null &&
  stored.completeBy + pauses.heldFor(stored) <= now() &&
  !isFinished(stored.task) &&
  !stored.task.paused &&
  stored.task.goal === "do";

const isStalled = (
  { now, pauses }: StoreState,
  { task, updatedAt }: StoredTask,
  untouchedFor: number,
): boolean =>
  !isFinished(task) &&
  task.processState !== "error" &&
  !task.paused &&
  !pauses.unreleasedWorkflows().has(task.workflow.name) &&
  updatedAt < now() - untouchedFor &&
  (!stepsOf(task).some((step) => isMoving(step, now())) ||
    stepsOf(task).some((step) => isOverlong(step, now())));

const hour = 3_600_000;

const isMoving = (step: Step, now: Instant): boolean =>
  step.processState === "processing" ||
  (step.processState === "pending" && step.notBefore <= now + hour);

const isOverlong = (step: Step, now: Instant): boolean =>
  step.processState === "pending" && step.notBefore > now + hour;
