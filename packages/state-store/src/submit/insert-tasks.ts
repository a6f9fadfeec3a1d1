import {
  type Instant,
  lookupIn,
  notificationsOfNew,
  resolveWhen,
  stepsOf,
  submit,
} from "@holdfast/domain";
import { addSteps, newStepRow } from "../apply/save-tasks.ts";
import { rankFairSteps } from "../claim/fairness.ts";
import { enqueueNotifications } from "../outbox/outbox.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { takeHeldSignals } from "../signals/signals.ts";
import type { StoreContext } from "../store-context.ts";
import { beginWaits, waitRow } from "../waits/save-waits.ts";
import type { StoredWorkflow } from "../workflows/workflow-catalog.ts";
import type { Candidate } from "./new-task.ts";

const insertTasks = query("insert-tasks");
const insertLabels = query("insert-task-labels");

interface InsertOptions {
  readonly accepted: ReadonlySet<Candidate>;
  readonly workflows: ReadonlyMap<string, StoredWorkflow>;
  readonly actor: string;
  readonly now: number;
}

/** Sends all that writes accepted tasks down: tasks, inputs, steps and messages. */
export function insertAll(
  context: StoreContext,
  db: Database,
  { accepted, workflows, actor, now }: InsertOptions,
): readonly Promise<unknown>[] {
  if (accepted.size === 0) return [];
  const rows = [...accepted].map((candidate) => rowsOf(candidate, { workflows, now, context }));
  return [
    insertTasks(db, {
      actor,
      ...columns(rows, {
        taskIds: "taskId",
        tenants: "tenant",
        workflows: "workflow",
        states: "processState",
        priorities: "priority",
        fairnessKeys: "fairnessKey",
        fairnessWeights: "fairnessWeight",
        replyTos: "replyTo",
        correlationIds: "correlationId",
        businessKeys: "businessKey",
        labels: "labels",
        beginAts: "beginAt",
        completeBys: "completeBy",
        inputs: "input",
        traceContexts: "traceContext",
        enqueuedBys: "enqueuedBy",
        submittedBys: "submittedBy",
        formats: "format",
      }),
    }),
    ...insertSteps(context, db, rows),
    ...takeHeldSignals(db, accepted, workflows),
    ...beginWaits(
      db,
      rows.flatMap(({ waits }) => waits),
    ),
    ...addLabels(
      db,
      rows.flatMap(({ labelRows }) => labelRows),
    ),
    ...enqueueNotifications(
      db,
      rows.flatMap(({ notifications }) => notifications),
    ),
  ];
}

/** What is written of one task. */
function rowsOf(
  { taskId, task }: Candidate,
  {
    workflows,
    now,
    context: { events },
  }: Pick<InsertOptions, "workflows" | "now"> & { readonly context: StoreContext },
) {
  const { plan, definition } = workflows.get(task.workflow)!;
  const valueOf = lookupIn({ input: task.input, outputs: new Map() });
  const begin = task.notBefore == null ? now : resolveWhen(task.notBefore, now);
  const beginAt = begin > now ? begin : null;
  const context = { now, random: Math.random, valueOf };
  const decided = submit(taskId, plan, context, beginAt).task;
  const { completeWithin, format } = definition;
  const fairnessKey = task.fairness?.key ?? null;
  const ofStep = { taskId, format, urgency: { priority: task.priority, fairnessKey }, now };
  const labels = Object.entries(task.labels ?? {});
  return {
    ...task,
    taskId,
    input: JSON.stringify(task.input),
    processState: decided.processState,
    completeBy: completeWithin === null ? null : (beginAt ?? now) + completeWithin,
    businessKey: task.key ?? null,
    traceContext: task.traceContext ?? null,
    enqueuedBy: task.enqueued?.by ?? null,
    submittedBy: task.submittedBy ?? null,
    labels: labels.length === 0 ? null : JSON.stringify(task.labels),
    labelRows: labels.map(([name, value]) => ({ name, value, taskId })),
    beginAt,
    fairnessKey,
    fairnessWeight: task.fairness?.weight ?? null,
    format,
    steps: stepsOf(decided).map((step) => newStepRow(ofStep, step)),
    waits: stepsOf(decided).flatMap((step) => waitRow(taskId, step)),
    notifications: notificationsOfNew(decided, task, { now, events }),
  };
}

interface LabelRow {
  readonly name: string;
  readonly value: string;
  readonly taskId: string;
}

const addLabels = (db: Database, rows: readonly LabelRow[]): readonly Promise<unknown>[] =>
  rows.length === 0
    ? []
    : [insertLabels(db, columns(rows, { names: "name", values: "value", taskIds: "taskId" }))];

type NewSteps = readonly ReturnType<typeof newStepRow>[];

function insertSteps(
  context: StoreContext,
  db: Database,
  rows: readonly {
    readonly fairnessKey: string | null;
    readonly beginAt: Instant | null;
    readonly steps: NewSteps;
  }[],
): readonly Promise<unknown>[] {
  const inserted = addSteps(
    db,
    rows.flatMap(({ steps }) => steps),
  );
  const fair = rows
    // Those that begin later are ranked when they are staged.
    .filter(({ fairnessKey, beginAt }) => fairnessKey !== null && beginAt === null)
    .flatMap(({ steps }) => steps.filter(({ processState }) => processState === "pending"));
  return fair.length === 0 ? [inserted] : [inserted, rankFairSteps(context)(db, fair)];
}
