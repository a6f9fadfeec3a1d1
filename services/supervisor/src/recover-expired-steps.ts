import type { Failpoint, Logger } from "@holdfast/runtime";
import type { AttemptOfTask, Expired, Incident, StateStore } from "@holdfast/state-store";
import type { ResumeGrace } from "./resume-grace.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findExpired" | "applyIncidents">;
  readonly grace: ResumeGrace;
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
const shortestRest = 50;

/**
 * One scan: finds steps whose complete-by time has passed and has `decide` apply the remedy that
 * stands at the step. The Supervisor knows nothing of what the steps do, reads no payload and asks
 * no Agent. Rivals share the work: a task in other hands is left out. Resolves to how long to sleep:
 * until the next complete-by time, within bounds.
 */
export function recoverExpiredSteps(deps: Dependencies) {
  const { store, grace, hint, cancel, log, failpoint, actor, rest } = deps;
  return async (): Promise<number> => {
    const expired = await store.findExpired({ batch });
    const hold = grace.holdFor();
    if (hold > 0) return hold;
    const incidents = toIncidents(expired);
    if (incidents.length > 0) {
      failpoint("supervisor.found");
      const { outcomes, needless } = await store.applyIncidents(incidents, {
        actor,
        skipLocked: true,
      });
      failpoint("supervisor.recovered");
      cancel(needless);
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

function toIncidents({ steps, taskIds }: Expired): readonly Incident[] {
  return [
    ...steps.map(({ taskId, ...attempt }): Incident => {
      return { taskId, event: { kind: "expired", ...attempt } };
    }),
    ...taskIds.map((taskId): Incident => {
      return { taskId, event: { kind: "undoRequested", code: "task.expired" } };
    }),
  ];
}

function logRecovery(log: Logger, { taskId, event }: Incident, action: string | undefined): void {
  const attempt = event.kind === "expired" ? { step: event.step, attempt: event.attempt } : {};
  log.warn({ taskId, ...attempt, action }, "limit passed");
}
