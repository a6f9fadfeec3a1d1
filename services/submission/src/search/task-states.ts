import type { TaskState } from "@holdfast/domain";

/** The states in which a task has not ended. */
export const openStates = [
  "pending",
  "processing",
  "halted",
  "undoing",
] as const satisfies readonly TaskState[];

export const taskStates = [
  ...openStates,
  "processed",
  "undone",
] as const satisfies readonly TaskState[];
