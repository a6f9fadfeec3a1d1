import { unsupportedParts } from "@holdfast/contracts";
import { unusableActor } from "../apply/park-tasks.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { isUsable, readWorkflow, type UnusableWorkflow } from "../workflows/workflow-catalog.ts";

/** An unfinished task that cannot be decided about, and why. */
interface UnusableTaskFacts {
  readonly taskId: string;
  readonly problem: string;
}

/** What cannot be used of what is stored. */
export interface Unusable {
  readonly workflows: readonly UnusableWorkflow[];
  /**
   * Definitions that are used, though an earlier release stored in their schemas what this one does
   * not check.
   */
  readonly uncheckedWorkflows: readonly UnusableWorkflow[];
  /** No more than were asked for. */
  readonly tasks: readonly UnusableTaskFacts[];
}

const findNames = query("find-workflow-names", rowsOf<{ name: string }>());
const findPaused = query("find-unusable-workflows", rowsOf<{ name: string }>());
const findTasks = query(
  "find-unusable-tasks",
  rowsOf<{ taskId: string; workflow: string; pauseReason: string | null }>(),
);

/**
 * Parses every stored definition, as a Scheduler does, and finds the tasks that wait for their
 * repair.
 */
export async function findUnusable(db: Database, batch: number): Promise<Unusable> {
  const actor = unusableActor;
  const names = [...(await findNames(db, {})), ...(await findPaused(db, { actor }))];
  const workflows: UnusableWorkflow[] = [];
  const uncheckedWorkflows: UnusableWorkflow[] = [];
  for (const name of new Set(names.map((row) => row.name))) {
    const found = await readWorkflow(db, name);
    if (!isUsable(found)) workflows.push(found);
    else {
      const [part] = unsupportedParts(found.definition);
      if (part !== undefined)
        uncheckedWorkflows.push({ name, problem: `${part.pointer} ${part.detail}` });
    }
  }
  const problems = new Map(workflows.map(({ name, problem }) => [name, problem]));
  const tasks = await findTasks(db, { actor, workflows: [...problems.keys()], batch });
  return {
    workflows,
    uncheckedWorkflows,
    tasks: tasks.map(({ taskId, workflow, pauseReason }) => ({
      taskId,
      problem: problems.get(workflow) ?? pauseReason ?? "unknown",
    })),
  };
}
