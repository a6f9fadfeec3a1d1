import {
  hasConditions,
  PermanentFault,
  type ReportedTaskEvent,
  refsOfCondition,
  stepOfRef,
  type TaskValues,
  type VersionedTask,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { Database } from "../postgres/query.ts";
import { readValues } from "./load-values.ts";

/** Bytes of JSON that one transaction parses. */
const most = 4 * 1024 * 1024;

/**
 * Loads what conditions look at, of tasks whose conditions may be evaluated: a step is completed or resolved. The
 * Supervisor reports no such event, and has no right to read payloads. Throws `store.value_too_large` if all of it
 * together is more than a transaction may parse: then each task has a transaction of its own.
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
  const values = await readValues(db, {
    refs: conditional.flatMap(({ task }) =>
      valuesOfConditions(task.workflow).map((name) => ({ taskId: task.taskId, name })),
    ),
    most,
  });
  for (const { problem, leftOut } of values.values()) {
    if (problem !== null) throw new PermanentFault("store.value_too_large", problem);
    if (leftOut !== null) {
      throw new PermanentFault(
        "store.value_too_large",
        `What the conditions of ${values.size} tasks look at is more than ${most} bytes long`,
      );
    }
  }
  return values;
}

/** The steps whose outputs its conditions look at; null: the input of the task. */
function valuesOfConditions({ steps }: WorkflowPlan): readonly (string | null)[] {
  const conditions = [...steps.values()].flatMap(({ onlyIf }) => onlyIf ?? []);
  return [...new Set(conditions.flatMap(refsOfCondition).map(stepOfRef))];
}

const makesDone = ({ event }: ReportedTaskEvent): boolean =>
  event.kind === "completed" || event.kind === "resolved";
