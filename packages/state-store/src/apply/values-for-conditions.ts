import {
  hasConditions,
  PermanentFault,
  type ReportedTaskEvent,
  type TaskValues,
  type VersionedTask,
} from "@holdfast/domain";
import type { Database } from "../postgres/query.ts";
import { loadValues } from "./load-values.ts";

/**
 * Loads the payloads of tasks whose conditions may be evaluated: a step is completed or resolved. The
 * Supervisor reports no such event, and has no right to read payloads.
 */
export async function valuesForConditions(
  db: Database,
  tasks: readonly VersionedTask[],
  byTask: ReadonlyMap<string, readonly ReportedTaskEvent[]>,
): Promise<ReadonlyMap<string, TaskValues>> {
  const conditional = tasks.filter(
    ({ task }) => hasConditions(task.workflow) && byTask.get(task.taskId)?.some(makesDone),
  );
  if (conditional.length === 0) return new Map();
  const values = await loadValues(
    db,
    conditional.flatMap(({ task }) =>
      [null, ...task.steps.keys()].map((name) => ({ taskId: task.taskId, name })),
    ),
  );
  for (const { problem } of values.values()) {
    if (problem !== null) throw new PermanentFault("store.value_too_large", problem);
  }
  return values;
}

const makesDone = ({ event }: ReportedTaskEvent): boolean =>
  event.kind === "completed" || event.kind === "resolved";
