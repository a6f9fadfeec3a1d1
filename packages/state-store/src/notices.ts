import type { TaskAlert, TaskRefused, TaskStatus } from "@holdfast/contracts";
import { type Change, type Instant, isFinished, type Task } from "@holdfast/domain";
import { columns } from "./columns.ts";
import type { LockedTask } from "./load-tasks.ts";
import { type Database, query } from "./query.ts";

/** What is told, to whom: the submitter's queue, everybody, or whoever is on call. */
export type Notice = {
  /** What it is about: notices of one subject on one channel keep their order. */
  readonly subject: string;
  readonly seq: number;
  readonly correlationId: string | null;
} & (
  | {
      readonly channel: "status";
      readonly address: string;
      readonly body: TaskStatus | TaskRefused;
    }
  | { readonly channel: "event"; readonly address: null; readonly body: TaskStatus }
  | { readonly channel: "alert"; readonly address: null; readonly body: TaskAlert }
);

/** A move of a task, as far as anybody is told of it. */
interface Moved {
  readonly before: Pick<LockedTask, "task" | "version" | "replyTo" | "correlationId">;
  readonly after: Task;
  readonly changes: readonly Change[];
}

const insertNotices = query("insert-notices");

/** Sends, without waiting, what puts notices into the outbox, and keeps the alerts among them. */
export function tell(db: Database, notices: readonly Notice[]): readonly Promise<unknown>[] {
  if (notices.length === 0) return [];
  const rows = notices.map(({ body, ...notice }) => ({ ...notice, body: JSON.stringify(body) }));
  const names = {
    subjects: "subject",
    channels: "channel",
    seqs: "seq",
    addresses: "address",
    correlationIds: "correlationId",
    bodies: "body",
  } as const;
  return [insertNotices(db, columns(rows, names))];
}

/** Tells submitters why there is no task. */
export const tellRefused = async (db: Database, notices: readonly Notice[]): Promise<void> =>
  void (await Promise.all(tell(db, notices)));

interface NoticeOptions {
  readonly now: Instant;
  /** Whether everybody is told, or only the submitter and whoever is on call. */
  readonly events: boolean;
}

/** What follows from a saved move. Its number is the version that the task then has. */
export function noticesOf(moved: Moved, { now, events }: NoticeOptions): readonly Notice[] {
  const { before, after, changes } = moved;
  const at = new Date(now).toISOString();
  const seq = before.version + 1;
  const { replyTo: address, correlationId } = before;
  const common = { subject: after.taskId, seq, correlationId };
  const event = eventOf(before.task, after, changes);
  const body = event === null ? null : statusOf(moved, { event, seq, at });
  return [
    ...(body !== null && address !== null
      ? [{ ...common, channel: "status" as const, address, body }]
      : []),
    // A step of somebody's task is no news for everybody.
    ...(body !== null && events && event !== "progress"
      ? [{ ...common, channel: "event" as const, address: null, body }]
      : []),
    ...alertsOf(moved, { seq, at }).map((alert) => {
      return { ...common, channel: "alert" as const, address: null, body: alert };
    }),
  ];
}

/** The first notice of a task, and the last one too when there was nothing to do. */
export function noticesOfNew(
  task: Task,
  { replyTo, correlationId }: Pick<LockedTask, "replyTo" | "correlationId">,
  { now, events }: NoticeOptions,
): readonly Notice[] {
  const at = new Date(now).toISOString();
  const body = (event: TaskStatus["event"], sequence: number): TaskStatus => ({
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
  const news = isFinished(task)
    ? [body("received", 1), body("processed", 2)]
    : [body("received", 1)];
  return news.flatMap((one) => {
    const common = { subject: task.taskId, seq: one.sequence, correlationId, body: one };
    return [
      ...(replyTo === null ? [] : [{ ...common, channel: "status" as const, address: replyTo }]),
      ...(events ? [{ ...common, channel: "event" as const, address: null }] : []),
    ];
  });
}

/** Null: nothing that anybody outside would want to know. */
function eventOf(
  { processState: from }: Task,
  { processState: to }: Task,
  changes: readonly Change[],
): TaskStatus["event"] | null {
  if (from !== to && to !== "pending" && to !== "processing") return to;
  return changes.some(({ step }) => over.has(step.processState)) ? "progress" : null;
}

const over: ReadonlySet<string> = new Set(["processed", "skipped", "error", "cancelled"]);

function statusOf(
  { before, after, changes }: Moved,
  { event, seq, at }: { event: TaskStatus["event"]; seq: number; at: string },
): TaskStatus {
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
 * One for each time that a task halts, one for each undo that begins to fail, and one for each delay that
 * an Agent asked for and that was cut to what the policy allows.
 */
function alertsOf(
  { before, after, changes }: Moved,
  { seq, at }: { seq: number; at: string },
): readonly TaskAlert[] {
  const common = { taskId: after.taskId, episode: seq, detail: null, at };
  const failing = changes.flatMap(({ step, action, reason }): TaskAlert[] => {
    const begins =
      step.plan.kind === "compensation" && action === "retry" && step.failureCount === 1;
    const { name } = step.plan;
    return begins ? [{ ...common, kind: "undo.failing", step: name, code: reason ?? "" }] : [];
  });
  const delayed = changes.flatMap(({ step, reason, cappedDelay }): TaskAlert[] => {
    if (cappedDelay === undefined) return [];
    const detail = `Its Agent asked for a delay of ${cappedDelay} ms, which is longer than its policy allows.`;
    const { name } = step.plan;
    return [{ ...common, kind: "step.delayed", step: name, code: reason ?? "", detail }];
  });
  const others = [...failing, ...delayed];
  if (after.processState !== "error" || before.task.processState === "error") return others;
  const failed = changes.find(({ step }) => step.processState === "error")?.step;
  const halted = {
    ...common,
    kind: "task.halted" as const,
    step: failed?.plan.name ?? null,
    code: failed?.faultCode ?? after.faultCode ?? "task.halted",
  };
  return [...others, halted];
}
