import { fromTraceText } from "@holdfast/domain";
import {
  type Failpoint,
  type Logger,
  type Measure,
  noTracing,
  type Tracing,
  traceFields,
} from "@holdfast/runtime";
import {
  type AttemptOfTask,
  type Expired,
  type ReportedTaskEvent,
  type StateStore,
  unusableTasks,
} from "@holdfast/state-store";
import type { BrokerOutages } from "./broker-outages.ts";
import type { RecoveryDelay } from "./recovery-delay.ts";
import { recoveryTracer } from "./recovery-tracer.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "findExpired" | "applyEvents">;
  readonly grace: RecoveryDelay;
  readonly outages: BrokerOutages;
  /** Tells the Schedulers that there may be something to do. */
  readonly hint: () => void;
  /** Tells Agents what need not be finished. */
  readonly cancel: (obsoleteAttempts: readonly AttemptOfTask[]) => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** How long to sleep at most, in milliseconds. */
  readonly rest: number;
  readonly scanned: Measure;
  /** By the name of the remedy. */
  readonly recovered: Measure;
  /** None unless given. */
  readonly tracing?: Tracing;
}

const batch = 200;
/** Milliseconds. */
const shortestRest = 50;
const whileAway = 250;

/**
 * One scan: finds steps whose complete-by time has passed and has `decide` apply the remedy that
 * stands at the step. The Supervisor knows nothing of what the steps do, reads no payload and asks
 * no Agent. Supervisors share the work: each skips locked tasks (SKIP LOCKED), and the next scan leaves them out, so
 * that they hide none of those after them. Resolves to the delay until the next scan: until the next complete-by time,
 * within bounds.
 */
export function recoverExpiredSteps(deps: Dependencies) {
  const { store, grace, outages, hint, cancel, log, failpoint, actor, rest } = deps;
  const trace = recoveryTracer(deps.tracing ?? noTracing);
  /** Tasks that could not be changed since the last scan that found less than a batch. */
  const held = new Set<string>();
  return async (): Promise<number> => {
    const expired = await store.findExpired({ batch, held: [...held] });
    deps.scanned(1);
    outages.look();
    if (expired.steps.length > 0 && !(await outages.canTrustSilence())) {
      return Math.min(rest, whileAway);
    }
    const hold = grace.holdFor();
    if (hold > 0) return hold;
    const reportedEvents = toReportedEvents(expired, outages);
    let applied = 0;
    const heldBefore = held.size;
    if (reportedEvents.length > 0) {
      const names = () => expired.steps.map(({ step }) => step);
      failpoint("supervisor.found", names);
      const begun = performance.now();
      const { outcomes, obsoleteAttempts, traces } = await store.applyEvents(reportedEvents, {
        actor,
        skipLocked: true,
      });
      failpoint("supervisor.recovered", names);
      cancel(obsoleteAttempts);
      const unusable = unusableTasks(reportedEvents, outcomes);
      if (unusable.length > 0) log.error({ taskIds: unusable }, "task decisions failed");
      reportedEvents.forEach((reportedEvent, index) => {
        const outcome = outcomes[index];
        if (!outcome?.applied) return void held.add(reportedEvent.taskId);
        applied += 1;
        const action = outcome.changes[0]?.action;
        deps.recovered(1, reportedEvent.event.kind === "expired" ? (action ?? "") : "undo");
        const context = fromTraceText(traces?.get(reportedEvent.taskId) ?? null);
        logRecovery(log, reportedEvent, { action, ...traceFields(context) });
        if (context !== null) trace(reportedEvent, { context, action, begun });
      });
      hint();
    }
    const isFull = expired.steps.length === batch || expired.taskIds.length === batch;
    const more = isFull && (applied > 0 || held.size > heldBefore);
    if (!more) held.clear();
    const sleep = more ? 0 : Math.min(rest, Math.max(shortestRest, expired.nextIn ?? rest));
    grace.next(sleep);
    return sleep;
  };
}

function toReportedEvents(
  { steps, taskIds }: Expired,
  outages: BrokerOutages,
): readonly ReportedTaskEvent[] {
  return [
    ...steps.map(({ taskId, overdue, lasted, ...attempt }): ReportedTaskEvent => {
      const excused = outages.overlapsOutage({ overdue, lasted });
      return { taskId, event: { kind: "expired", excused, ...attempt } };
    }),
    ...taskIds.map((taskId): ReportedTaskEvent => {
      return { taskId, event: { kind: "limitPassed" } };
    }),
  ];
}

function logRecovery(
  log: Logger,
  { taskId, event }: ReportedTaskEvent,
  more: { readonly action: string | undefined },
): void {
  const attempt = event.kind === "expired" ? { step: event.step, attempt: event.attempt } : {};
  const message = event.kind === "expired" ? "step expired" : "task limit passed";
  log.warn({ taskId, ...attempt, ...more }, message);
}
