import { replyQueues, unrecordedQueue } from "@holdfast/contracts";
import { fromTraceText, type TraceContext } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import {
  attemptSpan,
  type Clock,
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
  type SupervisorStore,
  unusableTasks,
} from "@holdfast/state-store";
import type { RecoveryDelay } from "./recovery-delay.ts";
import type { ReplyProbes } from "./reply-probes.ts";

interface RecoveryDependencies {
  readonly store: Pick<SupervisorStore, "findExpired" | "applyEvents" | "rememberOutage">;
  readonly broker: Pick<Broker, "inspect">;
  readonly clock: Pick<Clock, "now">;
  readonly recoveryDelay: RecoveryDelay;
  readonly probes: ReplyProbes;
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
  /** Counts by the name of the remedy. */
  readonly recovered: Measure;
  /** The tracing of recoveries; none unless given. */
  readonly tracing?: Tracing;
}

const batch = 200;
/** Milliseconds. */
const shortestRest = 50;
/**
 * A Scheduler that cannot record its replies says so within a second, and its report stands for
 * two.
 */
const reportedWithin = 3_000;
/**
 * Milliseconds for which replies are waited for that one Scheduler may hold, while others record
 * theirs. What is silent then is tried again, and no failure is counted.
 */
const timeout = 10_000;

/**
 * One scan: finds steps whose complete-by time has passed and has `decide` apply the remedy that
 * stands at the step. The Supervisor knows nothing of what the steps do, reads no payload and asks
 * no Agent. Silence is judged once probes show that a reply would have arrived. Supervisors share
 * the work: each skips locked tasks (SKIP LOCKED), and the next scan leaves them out, so that they
 * hide none of those after them. Resolves to the delay until the next scan: until the next
 * complete-by time, within bounds.
 */
export function recoverExpiredSteps(deps: RecoveryDependencies) {
  const { store, recoveryDelay, probes, rest } = deps;
  const apply = applyRemedies(deps);
  const areUnrecorded = unrecordedReplies(deps);
  /** Tasks that could not be changed since the last scan that found less than a batch. */
  const held = new Set<string>();
  return async (): Promise<number> => {
    const expired = await store.findExpired({ batch, held: [...held], queues: replyQueues });
    deps.scanned(1);
    const unproven = expired.steps.filter((step) => !isProven(step));
    if (unproven.length > 0) {
      // Tasks whose own limit has passed wait as well: what would end them may be on its way.
      const pause = await probes.ask(Math.max(...unproven.map(({ overdue }) => overdue)));
      const isStuck = probes.outFor() > timeout && unproven.every(({ proven }) => proven > 0);
      if (!isStuck) return pause;
    } else probes.arrived();
    const unrecorded = expired.steps.length > 0 ? await areUnrecorded() : "no";
    if (unrecorded === "wait") return Math.min(rest, shortestRest * 5);
    const hold = recoveryDelay.holdFor();
    if (hold > 0) return hold;
    const heldBefore = held.size;
    const reportedEvents = toReportedEvents(expired, unrecorded === "yes");
    const applied = reportedEvents.length > 0 ? await apply(reportedEvents, held) : 0;
    const isFull = expired.steps.length === batch || expired.taskIds.length === batch;
    const more = isFull && (applied > 0 || held.size > heldBefore);
    if (!more) held.clear();
    const sleep = more ? 0 : Math.min(rest, Math.max(shortestRest, expired.nextIn ?? rest));
    recoveryDelay.next(sleep);
    return sleep;
  };
}

/**
 * Whether a Scheduler holds replies that it cannot record: probes go to another one meanwhile.
 * Replies that it holds are waited for, but not for ever.
 */
function unrecordedReplies({
  store,
  broker,
  clock,
}: Pick<RecoveryDependencies, "store" | "broker" | "clock">) {
  let since: number | null = null;
  return async (): Promise<"no" | "wait" | "yes"> => {
    const reports = await broker.inspect(unrecordedQueue);
    if ((reports?.messages ?? 0) === 0) {
      since = null;
      return "no";
    }
    since ??= clock.now();
    await store.rememberOutage({ part: "replies", lasted: reportedWithin });
    return clock.now() - since < timeout ? "wait" : "yes";
  };
}

/**
 * Has the domain decide on what has expired. Returns how many events changed a task, and holds the
 * tasks of the others.
 */
function applyRemedies(deps: RecoveryDependencies) {
  const { store, hint, cancel, log, failpoint, actor } = deps;
  const trace = recoveryTracer(deps.tracing ?? noTracing);
  return async (
    reportedEvents: readonly ReportedTaskEvent[],
    held: Set<string>,
  ): Promise<number> => {
    const names = () =>
      reportedEvents.flatMap(({ event }) => (event.kind === "expired" ? [event.step] : []));
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
    let applied = 0;
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
    return applied;
  };
}

/** Whether a reply would have arrived, whichever way it was sent. */
const isProven = ({ proven }: Pick<Expired["steps"][number], "proven">): boolean =>
  proven === replyQueues.length;

/** `mayBeHeld`: a Scheduler may hold replies that it cannot record. */
const toReportedEvents = (
  { steps, taskIds }: Expired,
  mayBeHeld: boolean,
): readonly ReportedTaskEvent[] => [
  ...steps.map(({ taskId, step, attempt, token, ...found }): ReportedTaskEvent => {
    const excused = found.excused || mayBeHeld || !isProven(found);
    return { taskId, event: { kind: "expired", step, attempt, token, excused } };
  }),
  ...taskIds.map((taskId): ReportedTaskEvent => ({ taskId, event: { kind: "limitPassed" } })),
];

function logRecovery(
  log: Logger,
  { taskId, event }: ReportedTaskEvent,
  more: { readonly action: string | undefined },
): void {
  const attempt = event.kind === "expired" ? { step: event.step, attempt: event.attempt } : {};
  const message = event.kind === "expired" ? "step expired" : "task limit passed";
  log.warn({ taskId, ...attempt, ...more }, message);
}

interface Recovery {
  /** The trace of the task. */
  readonly context: TraceContext;
  /** What the policy of the step made of it. */
  readonly action: string | undefined;
  /** The instant on our monotonic clock when the transaction began. */
  readonly begun: number;
}

/**
 * Gives each remedy of the Supervisor a span: below the attempt that was silent, or below the task
 * whose limit passed.
 */
const recoveryTracer =
  (tracing: Tracing) =>
  ({ taskId, event }: ReportedTaskEvent, { context, action, begun }: Recovery): void => {
    const age = performance.now() - begun;
    const common = { "holdfast.task.id": taskId, "holdfast.action": action };
    if (event.kind !== "expired") {
      const attributes = { ...common, "error.type": "task.expired" };
      tracing.span("recover task", { parent: context, age, attributes }).end(attributes);
      return;
    }
    const { step, attempt } = event;
    const parent = attemptSpan(context, { taskId, step, attempt }).context;
    const attributes = { ...common, "holdfast.step": step, "holdfast.attempt": attempt };
    const span = tracing.span(`recover ${step}`, { parent, age, attributes });
    span.end({ "error.type": "step.expired" });
  };
