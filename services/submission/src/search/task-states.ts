import { openTaskStates, type TaskState } from "@holdfast/domain";

export const taskStates = [
  ...openTaskStates,
  "processed",
  "compensated",
] as const satisfies readonly TaskState[];
