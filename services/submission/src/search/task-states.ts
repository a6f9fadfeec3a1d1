import type { TaskState } from "@holdfast/domain";

/** The states in which a task has not ended. */
export const openStates = [
  "pending",
  "processing",
  "error",
  "compensating",
] as const satisfies readonly TaskState[];

export const taskStates = [
  ...openStates,
  "processed",
  "compensated",
] as const satisfies readonly TaskState[];
