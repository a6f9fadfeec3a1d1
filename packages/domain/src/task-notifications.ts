import type { ApprovalOutcome } from "./approval.ts";
import type { DecidedTask, VersionedTask } from "./batch.ts";
import { requeuesUntilAlert } from "./failure.ts";
import { type Instant, isSettled, type Step } from "./step.ts";
import { stepKinds } from "./step-kinds.ts";
import type { Change } from "./step-transitions.ts";
import { isFinished, stepsOf, type Task } from "./task.ts";

/** The state of a task at one of its versions, for its submitter and for `holdfast.events`. */
export interface StatusBody {
  readonly taskId: string;
  readonly correlationId: string | null;
  readonly sequence: number;
  readonly event:
    | "received"
    | "progress"
    | "awaiting"
    | "fired"
    | "processed"
    | "undoing"
    | "undone"
    | "halted";
  readonly workflow: string;
  readonly state: string;
  /** The steps that moved, and their states. */
  readonly steps: { readonly name: string; readonly state: string }[];
  readonly faultCode: string | null;
  /** ISO 8601, on the store's clock. */
  readonly at: string;
}

/** What happens to a step that people decide, for `holdfast.events`. Holds no payload. */
export interface ApprovalBody {
  readonly taskId: string;
  readonly correlationId: string | null;
  readonly sequence: number;
  readonly event: "approval.wanted" | "approval.reminded" | "approval.decided";
  readonly workflow: string;
  readonly step: string;
  /** The name of those who may decide. */
  readonly audience: string;
  /** How many of them must approve. */
  readonly quorum: number;
  /** ISO 8601; null: they may take any time. */
  readonly deadline: string | null;
  /**
   * What has come of it; null: nothing yet, or nothing at all, as nothing says who may not decide.
   * `expired`: they did not decide in time.
   */
  readonly decision: ApprovalOutcome | null;
  /** ISO 8601, on the store's clock. */
  readonly at: string;
}

/** A reason for an operator to look at a task. */
export interface AlertBody {
  readonly taskId: string;
  readonly episode: number;
  readonly kind: "task.halted" | "undo.failing" | "step.delayed";
  readonly step: string | null;
  readonly code: string;
  readonly detail: string | null;
  readonly at: string;
}

/**
 * A message about a task, and whom it is for: the submitter's queue, `holdfast.events`, or the
 * operators.
 */
export type TaskNotification = {
  /** Notifications of one subject on one channel are sent in the order of `seq`. */
  readonly subject: string;
  readonly seq: number;
  readonly correlationId: string | null;
  /** The trace context of its task; absent: none. */
  readonly traceContext?: string | null;
} & (
  | { readonly channel: "status"; readonly address: string; readonly body: StatusBody }
  | { readonly channel: "event"; readonly address: null; readonly body: StatusBody | ApprovalBody }
  | { readonly channel: "alert"; readonly address: null; readonly body: AlertBody }
);

export interface NotificationOptions {
  readonly now: Instant;
  /** Whether `holdfast.events` gets the status of every task, besides its submitter. */
  readonly events: boolean;
}

/** The notifications of a decision. Their number is the version that the task has after it. */
export function notificationsOf(
  decided: DecidedTask,
  { now, events }: NotificationOptions,
): readonly TaskNotification[] {
  const { before, after, changes } = decided;
  const at = new Date(now).toISOString();
  const seq = before.version + 1;
  const { replyTo: address, correlationId } = before;
  const common = { subject: after.taskId, seq, correlationId, ...traceOf(before) };
  const event = eventOf(before.task, after, changes);
  const body = event === null ? null : statusOf(decided, { event, seq, at });
  return [
    ...(body !== null && address !== null
      ? [{ ...common, channel: "status" as const, address, body }]
      : []),
    // The progress of single steps concerns only the submitter.
    ...(body !== null && events && event !== "progress"
      ? [{ ...common, channel: "event" as const, address: null, body }]
      : []),
    ...(events ? approvalsOf(decided, { seq, at }) : []).map((approval) => {
      return { ...common, channel: "event" as const, address: null, body: approval };
    }),
    ...alertsOf(decided, { seq, at }).map((alert) => {
      return { ...common, channel: "alert" as const, address: null, body: alert };
    }),
  ];
}

const traceOf = ({ traceContext }: Pick<VersionedTask, "traceContext">) =>
  traceContext == null ? {} : { traceContext };

interface Happened {
  readonly correlationId: string | null;
  readonly seq: number;
  readonly at: string;
}

/** The message to those who decide a step, or who wait for them; none: people do not decide it. */
export function approvalBody(
  task: Task,
  step: Step,
  happened: Pick<ApprovalBody, "event" | "decision"> & Happened,
): readonly ApprovalBody[] {
  const { plan } = step;
  if (!("audience" in plan)) return [];
  const { name, audience, quorum } = plan;
  const { event, decision, correlationId, seq: sequence, at } = happened;
  const deadline = step.processState === "awaiting" ? step.notBefore : null;
  return [
    {
      taskId: task.taskId,
      correlationId,
      sequence,
      event,
      workflow: task.workflow.name,
      step: name,
      audience,
      quorum,
      deadline: deadline === null ? null : new Date(deadline).toISOString(),
      decision,
      at,
    },
  ];
}

/** What a move of a step means for those who decide it; null: nothing. */
function askedBy({
  action,
  from,
  reason,
}: Change): Pick<ApprovalBody, "event" | "decision"> | null {
  if (action === "open") return { event: "approval.wanted", decision: null };
  if (action === "fire") return { event: "approval.decided", decision: "approved" };
  if (action === "cancel" && from === "awaiting") {
    return { event: "approval.decided", decision: "cancelled" };
  }
  if (action !== "lapse") return null;
  return { event: "approval.decided", decision: lapsed.get(reason ?? "") ?? null };
}

/** What has come of a step that people decide and that has failed, by the code of that. */
const lapsed: ReadonlyMap<string, "rejected" | "expired"> = new Map([
  ["approval.rejected", "rejected"],
  ["wait.expired", "expired"],
]);

const approvalsOf = (
  { before, after, changes }: DecidedTask,
  when: Pick<Happened, "seq" | "at">,
): readonly ApprovalBody[] =>
  changes.flatMap((one) => {
    const asked = askedBy(one);
    const { correlationId } = before;
    return asked === null
      ? []
      : approvalBody(after, one.step, { ...asked, ...when, correlationId });
  });

/** The first notification of a new task, and the last one as well if it had nothing to do. */
export function notificationsOfNew(
  task: Task,
  {
    replyTo,
    correlationId,
    ...rest
  }: Pick<VersionedTask, "replyTo" | "correlationId" | "traceContext">,
  { now, events }: NotificationOptions,
): readonly TaskNotification[] {
  const at = new Date(now).toISOString();
  const body = (event: StatusBody["event"], sequence: number): StatusBody => ({
    taskId: task.taskId,
    correlationId,
    sequence,
    event,
    workflow: task.workflow.name,
    state: task.processState,
    steps: [],
    faultCode: null,
    at,
  });
  const bodies = isFinished(task)
    ? [body("received", 1), body("processed", 2)]
    : [body("received", 1)];
  const subject = task.taskId;
  const sent = { subject, correlationId, ...traceOf(rest) };
  const statuses = bodies.flatMap((one) => {
    const common = { ...sent, seq: one.sequence, body: one };
    return [
      ...(replyTo === null ? [] : [{ ...common, channel: "status" as const, address: replyTo }]),
      ...(events ? [{ ...common, channel: "event" as const, address: null }] : []),
    ];
  });
  const wanted = stepsOf(task).flatMap((step) =>
    events && step.processState === "awaiting"
      ? approvalBody(task, step, {
          event: "approval.wanted",
          decision: null,
          correlationId,
          seq: 1,
          at,
        })
      : [],
  );
  return [
    ...statuses,
    ...wanted.map((one) => ({
      ...sent,
      seq: 1,
      channel: "event" as const,
      address: null,
      body: one,
    })),
  ];
}

/** The event that submitters are shown; null: nothing changed that concerns anyone outside. */
function eventOf(
  { processState: from }: Task,
  { processState: to }: Task,
  changes: readonly Change[],
): StatusBody["event"] | null {
  if (from !== to && to !== "pending" && to !== "processing") return to;
  // Who watches from outside is to know that nothing goes on for a while, and when it does.
  if (changes.some(({ action }) => action === "fire")) return "fired";
  if (changes.some(({ action }) => action === "open")) return "awaiting";
  return changes.some(({ step }) => isSettled(step)) ? "progress" : null;
}

function statusOf(
  { before, after, changes }: DecidedTask,
  { event, seq, at }: { event: StatusBody["event"]; seq: number; at: string },
): StatusBody {
  const names = new Set(changes.map(({ step }) => step.plan.name));
  return {
    taskId: after.taskId,
    correlationId: before.correlationId,
    sequence: seq,
    event,
    workflow: after.workflow.name,
    state: after.processState,
    steps: [...names].map((name) => ({ name, state: after.steps.get(name)?.processState ?? "" })),
    faultCode: after.faultCode,
    at,
  };
}

/**
 * One alert for each time that a task halts, one for each undo that begins to fail, one for each
 * delay that an Agent asked for and that was cut to what the policy allows, and one whenever a step
 * was requeued so often that a person should know why.
 */
function alertsOf(
  { before, after, changes, haltDetails }: DecidedTask,
  { seq, at }: { seq: number; at: string },
): readonly AlertBody[] {
  const common = { taskId: after.taskId, episode: seq, detail: null, at };
  const failing = changes.flatMap(({ step, action, reason }): AlertBody[] => {
    const { name, kind } = step.plan;
    const begins =
      stepKinds[kind].alertsOnFirstFailure && action === "retry" && step.failureCount === 1;
    return begins ? [{ ...common, kind: "undo.failing", step: name, code: reason ?? "" }] : [];
  });
  const delayed = changes.flatMap(({ step, reason, cappedDelay }): AlertBody[] => {
    if (cappedDelay === undefined) return [];
    const detail = `Its Agent asked for a delay of ${cappedDelay} ms, which is longer than its policy allows.`;
    const { name } = step.plan;
    return [{ ...common, kind: "step.delayed", step: name, code: reason ?? "", detail }];
  });
  const requeued = changes.flatMap(({ step, action, reason }): AlertBody[] => {
    const { name } = step.plan;
    const isMany = action === "requeue" && step.requeueCount % requeuesUntilAlert === 0;
    const detail = `It was requeued ${step.requeueCount} times in a row. No failure is counted, and it is tried again until an Agent does it.`;
    return isMany
      ? [{ ...common, kind: "step.delayed", step: name, code: reason ?? "", detail }]
      : [];
  });
  const others = [...failing, ...delayed, ...requeued];
  if (after.processState !== "halted" || before.task.processState === "halted") return others;
  const failed = changes.find(({ step }) => step.processState === "error")?.step;
  const halted = {
    ...common,
    detail: haltDetails?.get(failed?.plan.name ?? "") ?? null,
    kind: "task.halted" as const,
    step: failed?.plan.name ?? null,
    code: failed?.faultCode ?? after.faultCode ?? "task.halted",
  };
  return [...others, halted];
}
