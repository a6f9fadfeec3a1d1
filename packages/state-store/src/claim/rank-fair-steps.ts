import type { DueStep, DueStepOfTask } from "@holdfast/domain";
import type { ActivePartitions } from "../postgres/active-partitions.ts";
import { columns, type Database, queryAmong } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const rank = queryAmong("rank-fair-steps", rowsOf<DueStep>());

/** Ranks due steps of tasks with a fairness key; those that are not due, or are locked, are left out. */
export const rankFairSteps =
  ({ partitions }: { readonly partitions: ActivePartitions }) =>
  (db: Database, steps: readonly Pick<DueStepOfTask, "taskId" | "name">[]): Promise<DueStep[]> =>
    rank(db, partitions.range(), columns(steps, { taskIds: "taskId", names: "name" }));
