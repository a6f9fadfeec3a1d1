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

type TaskRow = Omit<TaskRecord, "traceId"> & { readonly traceContext: string | null };

const selectTask = query("find-task", rowsOf<TaskRow>());

/** A trace whose beginner decided against recording it is nowhere to be found. */
function traceIdIn(text: string | null): string | null {
  const context = fromTraceText(text);
  return context !== null && isSampled(context) ? traceIdOf(context) : null;
}

/** The task, or null when this tenant has none of that id. */
export async function findTask(
  db: Database,
  id: { readonly taskId: string; readonly tenant: string },
): Promise<TaskRecord | null> {
  const [task] = await selectTask(db, id);
  if (task === undefined) return null;
  const { paused, steps, traceContext, ...rest } = task;
  return {
    ...rest,
    traceId: traceIdIn(traceContext),
    paused: paused && { ...paused, at: instant(paused.at) ?? paused.at },
    steps: steps.map((step) => ({
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
