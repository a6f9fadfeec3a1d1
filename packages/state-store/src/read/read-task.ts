import {
  type Fairness,
  fromTraceText,
  type Goal,
  isSampled,
  type Json,
  type Priority,
  type StepKind,
  type StepState,
  type TaskState,
  traceIdOf,
} from "@holdfast/domain";
import type { StepProgress } from "../claim/attempt-signs.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { Labels } from "../submit/new-task.ts";

/** A task as people see it. Instants are ISO 8601, in UTC with a Z. */
export interface TaskRecord {
  readonly taskId: string;
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly version: number;
  readonly priority: Priority;
  /** Null: it shares its band with others by nothing but time. */
  readonly fairness: Fairness | null;
  readonly faultCode: string | null;
  /** The application's own name of what the task is about; null: it has none. */
  readonly key: string | null;
  readonly labels: Labels;
  /** When its first steps become due, if it was submitted to begin later. */
  readonly notBefore: Date | null;
  /** Null: it is not paused. */
  readonly paused: { readonly at: string; readonly by: string; readonly reason: string } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
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

/** A task, or how large it is. */
export interface FoundTask {
  readonly workflow: string;
  /** Of its payloads. */
  readonly bytes: number;
  /** Null: it has more bytes than were asked for. */
  readonly task: TaskRecord | null;
}

type TaskRow = Omit<TaskRecord, "traceId" | "input" | "steps"> & {
  readonly traceContext: string | null;
  readonly bytes: number;
  readonly input: Json;
  /** Null: they are too large. */
  readonly steps: readonly StepRecord[] | null;
};

const selectTask = query("find-task", rowsOf<TaskRow>());

/** A trace whose beginner decided against recording it is nowhere to be found. */
function traceIdIn(text: string | null): string | null {
  const context = fromTraceText(text);
  return context !== null && isSampled(context) ? traceIdOf(context) : null;
}

interface TaskId {
  readonly taskId: string;
  readonly tenant: string;
}

/** Reads single tasks. */
export interface TaskStore {
  /** The task, or null if this tenant has none of that id. Instants are ISO 8601. Safe to repeat. */
  findTask(id: TaskId): Promise<TaskRecord | null>;
  /** The same, read only if its payloads have no more than so many bytes. Safe to repeat. */
  findTaskWithin(asked: TaskId & { readonly mostBytes: number }): Promise<FoundTask | null>;
  /** How large a task's history is, found without reading it. Safe to repeat. */
  findHistoryBytes(
    id: TaskId,
  ): Promise<{ readonly workflow: string; readonly bytes: number } | null>;
}

type Bind = <Params, Found>(
  work: (db: Database, params: Params) => Promise<Found>,
) => (params: Params) => Promise<Found>;

export const taskStore = (repeatable: Bind): TaskStore => ({
  findTask: repeatable(findTask),
  findTaskWithin: repeatable(findTaskWithin),
  findHistoryBytes: repeatable(findHistoryBytes),
});

/** The task, or null when this tenant has none of that id. */
const findTask = async (db: Database, id: TaskId): Promise<TaskRecord | null> =>
  (await findTaskWithin(db, { ...id, mostBytes: largest }))?.task ?? null;

/** Of an integer of Postgres. */
const largest = 2_147_483_647;

/** The task, whose payloads are read only if they have no more than so many bytes together. */
async function findTaskWithin(
  db: Database,
  asked: TaskId & { readonly mostBytes: number },
): Promise<FoundTask | null> {
  const [row] = await selectTask(db, asked);
  if (row === undefined) return null;
  const { workflow, bytes } = row;
  return { workflow, bytes, task: bytes > asked.mostBytes ? null : recordOf(row) };
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

/** As all instants are written: in UTC, with a Z. Null: there is none, or none that is known yet. */
export function instant(at: string | null): string | null {
  const ms = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

export const findEvents = query("find-events", rowsOf<HistoryEntry>());

const selectHistoryBytes = query("find-history-bytes");

/** How large the history of a task is, found without reading it; null: this tenant has no task of that id. */
async function findHistoryBytes(
  db: Database,
  id: TaskId,
): Promise<{ readonly workflow: string; readonly bytes: number } | null> {
  const [found] = await selectHistoryBytes(db, id);
  return found === undefined ? null : { workflow: found.workflow, bytes: Number(found.bytes) };
}
