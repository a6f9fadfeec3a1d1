import { lookupIn, notificationsOfNew, stepsOf, submit } from "@holdfast/domain";
import { addSteps, newStepRow } from "../apply/save-tasks.ts";
import { rankFairSteps } from "../claim/rank-fair-steps.ts";
import { enqueueNotifications } from "../outbox/notifications.ts";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";
import type { StoreContext } from "../store-context.ts";
import type { StoredWorkflow } from "../workflows/workflow-catalog.ts";
import type { Candidate } from "./new-task.ts";

const insertTasks = query("insert-tasks");

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
  const rows = [...accepted].map(({ taskId, task }) => {
    const { plan, definition } = workflows.get(task.workflow)!;
    const valueOf = lookupIn({ input: task.input, outputs: new Map() });
    const decided = submit(taskId, plan, { now, random: Math.random, valueOf }).task;
    const { completeWithin } = definition;
    const fairnessKey = task.fairness?.key ?? null;
    return {
      ...task,
      taskId,
      input: JSON.stringify(task.input),
      processState: decided.processState,
      completeBy: completeWithin === null ? null : now + completeWithin,
      fairnessKey,
      fairnessWeight: task.fairness?.weight ?? null,
      steps: stepsOf(decided).map((step) =>
        newStepRow(taskId, step, { priority: task.priority, fairnessKey }, now),
      ),
      notifications: notificationsOfNew(decided, task, { now, events: context.events }),
    };
  });
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
        completeBys: "completeBy",
        inputs: "input",
      }),
    }),
    ...insertSteps(context, db, rows),
    ...enqueueNotifications(
      db,
      rows.flatMap(({ notifications }) => notifications),
    ),
  ];
}

type NewSteps = readonly ReturnType<typeof newStepRow>[];

function insertSteps(
  context: StoreContext,
  db: Database,
  rows: readonly { readonly fairnessKey: string | null; readonly steps: NewSteps }[],
): readonly Promise<unknown>[] {
  const inserted = addSteps(
    db,
    rows.flatMap(({ steps }) => steps),
  );
  const fair = rows
    .filter(({ fairnessKey }) => fairnessKey !== null)
    .flatMap(({ steps }) => steps.filter(({ processState }) => processState === "pending"));
  return fair.length === 0 ? [inserted] : [inserted, rankFairSteps(context)(db, fair)];
}
