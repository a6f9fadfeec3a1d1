import { limits } from "@holdfast/contracts";
import {
  type Fairness,
  fromTraceText,
  type Goal,
  isPriority,
  isSampled,
  type Json,
  type Priority,
  type StepKind,
  type StepState,
  type TaskState,
  traceIdOf,
} from "@holdfast/domain";
import type { StepProgress } from "../claim/attempt-signs.ts";
import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { readRow } from "../submit/inbox.ts";
import type { Labels } from "../submit/new-task.ts";

/** A task as people see it. Instants are ISO 8601, in UTC with a Z. */
export interface TaskRecord {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: Priority;
  /** The fairness; null: the task shares its band with others by nothing but time. */
  readonly fairness: Fairness | null;
  readonly faultCode: string | null;
  /** The application's own name of what the task is about; null: it has none. */
  readonly key: string | null;
  readonly labels: Labels;
  /** When its first steps become due, if it was submitted to begin later. */
  readonly notBefore: Date | null;
  /** The pause of the task; null: it is not paused. */
  readonly paused: { readonly at: string; readonly by: string; readonly reason: string } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
  /** The id of who submitted it; null: unknown, or it is still to be read. */
  readonly submittedBy: string | null;
  /** The trace that it belongs to; null: none, or none that is recorded. */
  readonly traceId: string | null;
  readonly input: Json;
  readonly steps: readonly StepRecord[];
}

export interface StepRecord {
  readonly name: string;
  readonly kind: StepKind;
  readonly agent: string;
  readonly processState: StepState;
  readonly attempt: number;
  readonly failureCount: number;
  readonly requeueCount: number;
  readonly lockedBy: string | null;
  readonly completeBy: string | null;
  /** When its Agent began the attempt; null: it has not said so. */
  readonly startedAt: string | null;
  /** When the handler last said that it is at work. */
  readonly heartbeatAt: string | null;
  /** What it said last of how far it is. */
  readonly progress: StepProgress | null;
  readonly notBefore: string | null;
  /** What it waits for; null: it does not wait. */
  readonly awaiting: { readonly until: string | null } | null;
  readonly faultCode: string | null;
  readonly faultDetail: string | null;
  readonly output: Json;
}

/** One entry of a task's history; `step` null: about the task itself. */
export interface HistoryEntry {
  readonly id: string;
  readonly step: string | null;
  readonly action: string;
  readonly fromState: string | null;
  readonly toState: string;
  readonly attempt: number | null;
  readonly actor: string;
  /** A code. */
  readonly reason: string | null;
  /** An operator's words. */
  readonly note: string | null;
  readonly at: Date;
}

/** A task, with its payloads or with how large they are. */
export interface FoundTask {
  /** Bytes of its payloads. */
  readonly bytes: number;
  /**
   * Whether it has its payloads: they are no larger than was asked for. Otherwise they are null.
   */
  readonly isWhole: boolean;
  readonly task: TaskRecord;
}

/** Payloads as they are stored: JSON that was not parsed. */
export interface PayloadTexts {
  /** The step; null: the input of the task. */
  readonly name: string | null;
  readonly payload: string | null;
  readonly faultDetail: string | null;
}

/** A page of a history, oldest entry first. */
export interface HistoryPage {
  readonly items: readonly HistoryEntry[];
  /** The entry after which the next page begins; null: this is the last one. */
  readonly next: string | null;
  /** It ends where it does because its entries are large. */
  readonly isFull: boolean;
}

export interface HistoryQuery {
  readonly taskId: string;
  /** The entry after which the page begins; null: from the first one on. */
  readonly after: string | null;
  /** Entries and bytes of a page. One entry it has always. */
  readonly most: number;
  readonly mostBytes: number;
}

type TaskRow = Omit<TaskRecord, "traceId" | "input" | "steps"> & {
  readonly traceContext: string | null;
  readonly bytes: number;
  readonly input: Json;
  /** The steps; null: they were not asked for. */
  readonly steps: readonly StepRecord[] | null;
};

const selectTask = query("find-task", rowsOf<TaskRow>());

/** A trace whose beginner decided against recording it is nowhere to be found. */
function traceIdIn(text: string | null): string | null {
  const context = fromTraceText(text);
  return context !== null && isSampled(context) ? traceIdOf(context) : null;
}

export interface TaskId {
  readonly taskId: string;
  readonly tenant: string;
}

/** Why what an application enqueued became no task. */
export interface RefusedSubmission {
  readonly code: string;
  readonly detail: string;
}

const selectByKey = query("find-task-by-key", rowsOf<{ taskId: string | null }>());

const selectPayloads = query("find-payloads", rowsOf<PayloadTexts>());

export interface PayloadsQuery {
  readonly taskId: string;
  readonly names: readonly (string | null)[];
  readonly most: number;
}

/** The task, or null if this tenant has none of that id. Instants are ISO 8601. */
export const findTask = repeatable(
  async (db, id: TaskId): Promise<TaskRecord | null> =>
    (await readTask(db, { ...id, mostBytes: largest }))?.task ?? null,
);

/**
 * Finds a task, with its payloads only if they have no more than so many bytes together; without
 * its steps if that is 0.
 */
export const findTaskWithin = repeatable(readTask);

/**
 * The payloads of these steps of a task, null being its input: of as many of them, in this order,
 * as have `most` bytes together, and of one at least.
 */
export const findPayloads = repeatable(
  (db, asked: PayloadsQuery): Promise<readonly PayloadTexts[]> => selectPayloads(db, asked),
);

/**
 * Which task of a workflow, in whatever version, a business key stands for; null: none that is
 * known.
 */
export const findTaskByKey = repeatable(
  async (
    db,
    asked: { readonly tenant: string; readonly family: string; readonly key: string },
  ): Promise<string | null> => {
    const [found] = await selectByKey(db, asked);
    return found?.taskId ?? null;
  },
);

/** Why the submission that was enqueued under this id was refused; null: it was not. */
export const findRefusal = repeatable(
  async (db, asked: { readonly taskId: string }): Promise<RefusedSubmission | null> => {
    const [row] = await findRow(db, asked);
    return row?.code == null ? null : { code: row.code, detail: row.detail ?? "" };
  },
);

/** A page of the history of a task. */
export const findHistory = repeatable(readHistory);

/** The whole history of a task, however long: for tests and people. */
export const findEvents = repeatable(
  async (db, { taskId }: { readonly taskId: string }): Promise<readonly HistoryEntry[]> => {
    const all = { taskId, after: null, most: largest - 1, mostBytes: largest };
    return (await readHistory(db, all)).items;
  },
);

/** The largest integer of Postgres. */
const largest = 2_147_483_647;

async function readTask(
  db: Database,
  asked: TaskId & { readonly mostBytes: number },
): Promise<FoundTask | null> {
  const [row] = await selectTask(db, asked);
  if (row === undefined) return findEnqueued(db, asked);
  return foundIn(row, asked);
}

const foundIn = (row: TaskRow, { mostBytes }: { readonly mostBytes: number }): FoundTask => ({
  bytes: row.bytes,
  isWhole: row.bytes <= mostBytes,
  task: recordOf(row),
});

/**
 * What is no task yet because its submission waits in the inbox; or the task, if it was made of
 * that between two looks.
 */
async function findEnqueued(
  db: Database,
  asked: TaskId & { readonly mostBytes: number },
): Promise<FoundTask | null> {
  const enqueued = await findEnqueuedTask(db, asked);
  if (enqueued !== null) return enqueued;
  const [row] = await selectTask(db, asked);
  return row === undefined ? null : foundIn(row, asked);
}

function recordOf({ paused, steps, traceContext, bytes: _bytes, ...rest }: TaskRow): TaskRecord {
  return {
    ...rest,
    traceId: traceIdIn(traceContext),
    paused: paused && { ...paused, at: instant(paused.at) ?? paused.at },
    steps: (steps ?? []).map((step) => ({
      ...step,
      completeBy: instant(step.completeBy),
      startedAt: instant(step.startedAt),
      heartbeatAt: instant(step.heartbeatAt),
      notBefore: instant(step.notBefore),
    })),
  };
}

const findRow = query("find-enqueued-task", rowsOf<FoundRow>());

interface FoundRow {
  readonly submission: string | null;
  readonly bytes: number | null;
  readonly workflow: string | null;
  readonly enqueuedAt: Date | null;
  readonly traceContext: string | null;
  readonly code: string | null;
  readonly detail: string | null;
}

/**
 * The task that a submission of the inbox will be, as far as it can be shown before it has been
 * read; null: there is none.
 */
async function findEnqueuedTask(
  db: Database,
  { taskId, mostBytes }: { readonly taskId: string; readonly mostBytes: number },
): Promise<FoundTask | null> {
  const [row] = await findRow(db, { taskId });
  if (row?.submission == null) return null;
  const { bytes, workflow, enqueuedAt, traceContext, submission } = row;
  // What is longer than any input is refused, and is not shown.
  const isShown = bytes! <= limits.payloadBytes;
  const isWhole = !isShown || bytes! <= mostBytes;
  const asked: Readonly<Record<string, unknown>> = isShown && isWhole ? shownIn(submission) : {};
  const { priority, key, input = null } = asked;
  const context = fromTraceText(traceContext);
  return {
    bytes: bytes!,
    isWhole,
    task: {
      taskId,
      workflow: workflow!,
      goal: "do",
      processState: "pending",
      version: 0,
      priority: isPriority(priority) ? priority : "normal",
      fairness: null,
      faultCode: null,
      key: typeof key === "string" ? key : null,
      labels: {},
      notBefore: null,
      paused: null,
      createdAt: enqueuedAt!,
      updatedAt: enqueuedAt!,
      finishedAt: null,
      submittedBy: null,
      traceId: context !== null && isSampled(context) ? traceIdOf(context) : null,
      input: input as Json,
      steps: [],
    },
  };
}

function shownIn(submission: string): Readonly<Record<string, unknown>> {
  try {
    return readRow(submission);
  } catch {
    return {};
  }
}

/**
 * An instant as all are written: in UTC, with a Z. Null: there is none, or none that is known yet.
 */
export function instant(at: string | null): string | null {
  const ms = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

const selectEvents = query("find-events", rowsOf<HistoryEntry & { readonly found: string }>());

async function readHistory(
  db: Database,
  { after, ...request }: HistoryQuery,
): Promise<HistoryPage> {
  const rows = await selectEvents(db, { ...request, after: after ?? "0" });
  const items = rows.map(({ found: _found, ...entry }) => entry);
  const hasMore = Number(rows[0]?.found ?? 0) > items.length;
  return {
    items,
    next: hasMore ? (items.at(-1)?.id ?? null) : null,
    isFull: hasMore && items.length < request.most,
  };
}
