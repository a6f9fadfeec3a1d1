import {
  agentOf,
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
type Proving = Pick<
  AtOnce<SimulatedStore>,
  "askForProof" | "raisePathAlert" | "recordProofs" | "rememberOutage"
>;

/** Milliseconds, as in the real store. */
const times = { settling: 250, tolerated: 250, aftermath: 1_000, lag: 1_000 };

/**
 * What the Supervisor looks for: steps and tasks whose limit has passed, and tasks that stand
 * still.
 */
export const expiring = (state: StoreState): Expiring => ({
  findExpired({ batch, held = [], queues = [] }) {
    const steps = processingSteps(state).filter(([{ task }]) => !held.includes(task.taskId));
    const now = state.now();
    const overdue = steps
      .filter(([, { completeBy }]) => completeBy <= now)
      .toSorted(([, a], [, b]) => a.completeBy - b.completeBy);
    const ahead = steps.flatMap(([, { completeBy }]) =>
      completeBy > now ? [completeBy - now] : [],
    );
    return {
      steps: overdue.slice(0, batch).map((found) => toExpiredStep(state, found, queues)),
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

/** What the Supervisor knows of whether replies arrive. */
export const proving = (state: StoreState): Proving => ({
  askForProof({ probes, silentFor }) {
    const at = Math.floor(state.now());
    return probes.map(({ queue }) => {
      const path = state.replyPaths.get(queue);
      const asked = {
        at: path?.asked?.at ?? at,
        silentSince: Math.min(path?.asked?.silentSince ?? at, at - silentFor - times.lag),
      };
      state.replyPaths.set(queue, { asked, provenAt: path?.provenAt ?? -Infinity });
      return { queue, now: at, waited: at - asked.at };
    });
  },

  recordProofs(proofs) {
    for (const { queue, sentAt } of proofs) {
      const path = state.replyPaths.get(queue);
      if (path === undefined) continue;
      const { asked } = path;
      const hasArrived = asked !== null && asked.at <= sentAt;
      if (hasArrived && state.now() - asked.at > times.tolerated) {
        state.outages.push({
          part: "replies",
          from: asked.silentSince,
          to: state.now() + times.aftermath,
        });
      }
      const provenAt = Math.max(path.provenAt, sentAt);
      state.replyPaths.set(queue, { asked: hasArrived ? null : asked, provenAt });
    }
  },

  rememberOutage({ part, lasted }) {
    const now = state.now();
    state.outages.push({ part, from: now - lasted, to: now + times.aftermath });
  },

  raisePathAlert: () => {},
});

function toExpiredStep(
  { now, replyPaths, outages }: StoreState,
  [{ task }, step]: readonly [StoredTask, ProcessingStep],
  queues: readonly string[],
) {
  const { plan, attempt, token, startBy, completeBy } = step;
  const claimedAt = startBy - plan.startWithin;
  const proven = queues.filter(
    (queue) => (replyPaths.get(queue)?.provenAt ?? -Infinity) >= completeBy + times.settling,
  ).length;
  const parts: readonly string[] = ["requests", "replies", `agent ${agentOf(step)}`];
  const excused = outages.some(
    ({ part, from, to }) => to > claimedAt && from < completeBy && parts.includes(part),
  );
  const overdue = now() - completeBy;
  return { taskId: task.taskId, step: plan.name, attempt, token, overdue, proven, excused };
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
  task.processState !== "halted" &&
  !task.paused &&
  !pauses.unreleasedWorkflows().has(task.workflow.name) &&
  updatedAt < now() - untouchedFor &&
  (!stepsOf(task).some((step) => isMoving(step, now())) ||
    stepsOf(task).some((step) => isOverlong(step, now())));

const hour = 3_600_000;

const isMoving = (step: Step, now: Instant): boolean =>
  step.processState === "processing" ||
  step.processState === "awaiting" ||
  (step.processState === "pending" && step.notBefore <= now + hour);

const isOverlong = (step: Step, now: Instant): boolean =>
  step.processState === "pending" && step.notBefore > now + hour;
