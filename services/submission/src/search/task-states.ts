import { openTaskStates, type TaskState } from "@holdfast/domain";

export const taskStates = [
  ...openTaskStates,
  "processed",
  "undone",
] as const satisfies readonly TaskState[];
