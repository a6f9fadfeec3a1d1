import type { Failpoint, Logger } from "@holdfast/runtime";
import {
  type AttemptOfTask,
  type Expired,
  type Incident,
  type StateStore,
  unusableTasks,
} from "@holdfast/state-store";
import type { CourierWatch } from "./courier-watch.ts";
import type { ResumeGrace } from "./resume-grace.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findExpired" | "applyIncidents">;
  readonly grace: ResumeGrace;
  readonly courier: CourierWatch;
  /** Tells the Schedulers that there may be something to do. */
  readonly hint: () => void;
  /** Tells Agents what need not be finished. */
  readonly cancel: (needless: readonly AttemptOfTask[]) => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long to sleep at most, in milliseconds. */
  readonly rest: number;
}

const batch = 200;
/** Milliseconds. */
const shortestRest = 50;
const whileAway = 250;

/**
 * One scan: finds steps whose complete-by time has passed and has `decide` apply the remedy that
 * stands at the step. The Supervisor knows nothing of what the steps do, reads no payload and asks
 * no Agent. Rivals share the work: a task in other hands is left out. Resolves to how long to sleep:
 * until the next complete-by time, within bounds.
 */
export function recoverExpiredSteps(deps: Dependencies) {
  const { store, grace, courier, hint, cancel, log, failpoint, actor, rest } = deps;
  return async (): Promise<number> => {
    const expired = await store.findExpired({ batch });
    courier.look();
    if (expired.steps.length > 0 && !(await courier.isQuiet())) {
      return Math.min(rest, whileAway);
    }
    const hold = grace.holdFor();
    if (hold > 0) return hold;
    const incidents = toIncidents(expired, courier);
    if (incidents.length > 0) {
      const names = () => expired.steps.map(({ step }) => step);
      failpoint("supervisor.found", names);
      const { outcomes, needless } = await store.applyIncidents(incidents, {
        actor,
        skipLocked: true,
      });
      failpoint("supervisor.recovered", names);
      cancel(needless);
      const unusable = unusableTasks(incidents, outcomes);
      if (unusable.length > 0) log.error({ taskIds: unusable }, "tasks cannot be decided about");
      incidents.forEach((incident, index) => {
        const outcome = outcomes[index];
        if (outcome?.applied) logRecovery(log, incident, outcome.changes[0]?.action);
      });
      hint();
    }
    const more = expired.steps.length === batch;
    const sleep = more ? 0 : Math.min(rest, Math.max(shortestRest, expired.nextIn ?? rest));
    grace.next(sleep);
    return sleep;
  };
}

function toIncidents({ steps, taskIds }: Expired, courier: CourierWatch): readonly Incident[] {
  return [
    ...steps.map(({ taskId, overdue, lasted, ...attempt }): Incident => {
      const excused = courier.excuses({ overdue, lasted });
      return { taskId, event: { kind: "expired", excused, ...attempt } };
    }),
    ...taskIds.map((taskId): Incident => {
      return { taskId, event: { kind: "limitPassed" } };
    }),
  ];
}

function logRecovery(log: Logger, { taskId, event }: Incident, action: string | undefined): void {
  const attempt = event.kind === "expired" ? { step: event.step, attempt: event.attempt } : {};
  log.warn({ taskId, ...attempt, action }, "limit passed");
}
