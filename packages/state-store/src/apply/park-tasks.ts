import type { TaskEvent } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { columns, type Database, query, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { isUsable, readWorkflow } from "../workflows/workflow-catalog.ts";
import type { UnusableTask } from "./load-tasks.ts";

/**
 * The actor that pauses unusable tasks and workflows, and resumes a workflow once its definition is
 * repaired.
 */
export const unusableActor = "holdfast (unusable)";

const pauseWorkflows = query("pause-unusable-workflows");
const pauseTasks = queryAmong("set-unusable-tasks-aside");
const findUnusable = query("find-unusable-workflows", rowsOf<{ name: string }>());
const endPause = query("end-pause");

/** An attempt that has ended in some way. */
interface Ended {
  readonly taskId: string;
  readonly event: TaskEvent;
}

interface Parking {
  readonly reported: readonly Ended[];
  readonly partitions: ActivePartitions;
}

/**
 * Sends, without awaiting them, the statements that pause these tasks, or their workflows, and
 * requeue their steps whose attempts have ended.
 */
export function parkTasks(
  db: Database,
  unusable: readonly UnusableTask[],
  { reported, partitions }: Parking,
): readonly Promise<unknown>[] {
  if (unusable.length === 0) return [];
  const actor = unusableActor;
  const tasks = unusable.map(({ taskId, workflow, problem }) => ({
    taskId,
    reason: problem,
    alone: workflow === null,
  }));
  const taskIds = tasks.map(({ taskId }) => taskId);
  const attempts = reported.flatMap(({ taskId, event }) =>
    "token" in event && event.kind !== "claimed" && taskIds.includes(taskId)
      ? [{ taskId, name: event.step, attempt: event.attempt, token: event.token }]
      : [],
  );
  const workflows = new Map(
    unusable.flatMap(({ workflow, problem }) => (workflow === null ? [] : [[workflow, problem]])),
  );
  return [
    ...(workflows.size === 0
      ? []
      : [
          pauseWorkflows(db, {
            actor,
            names: [...workflows.keys()],
            reasons: [...workflows.values()],
          }),
        ]),
    pauseTasks(db, partitions.monthsOf(taskIds), {
      actor,
      ...columns(tasks, { taskIds: "taskId", reasons: "reason", alone: "alone" }),
      ...columns(attempts, {
        stepTaskIds: "taskId",
        names: "name",
        attempts: "attempt",
        tokens: "token",
      }),
    }),
  ];
}

/**
 * Resumes the workflows that were paused because of their definitions and whose definitions can be
 * used again.
 */
export async function resumeRepaired(db: Database): Promise<void> {
  const actor = unusableActor;
  for (const { name } of await findUnusable(db, { actor })) {
    if (!isUsable(await readWorkflow(db, name))) continue;
    await endPause(db, {
      kind: "workflow",
      name,
      actor,
      reason: "its definition can be used again",
    });
  }
}
