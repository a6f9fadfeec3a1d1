import type { TaskCondition, TaskFilter } from "@holdfast/state-store";
import type { WorkflowDirectory } from "../workflow-directory.ts";

/**
 * The filter with the full names of workflows: one that is asked for without a version means all
 * its versions.
 */
export async function withVersions(
  filter: TaskFilter,
  directory: Pick<WorkflowDirectory, "versionsOf">,
): Promise<TaskFilter> {
  const conditions = await Promise.all(
    filter.conditions.map(async (condition): Promise<TaskCondition> => {
      if (condition.field !== "workflow" || condition.operator !== "in") return condition;
      const versions = await Promise.all(
        condition.operand.map((name) => directory.versionsOf(name)),
      );
      return { ...condition, operand: versions.flat() };
    }),
  );
  return { ...filter, conditions };
}
