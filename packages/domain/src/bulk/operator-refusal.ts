/** Why a task is not moved as an operator asks. */
const operatorRefusals = [
  "task.changed",
  "task.unusable_task",
  "task.task_finished",
  "task.wrong_goal",
  "task.not_in_error",
  "task.not_pending",
  "task.not_delayed",
  "task.task_paused",
  "task.already_paused",
  "task.not_paused",
  "task.refused",
] as const;
export type OperatorRefusal = (typeof operatorRefusals)[number];

/** The code under which a rejection of the domain is answered; `task.refused` for one without a code of its own. */
export function operatorRefusalOf(reason: string): OperatorRefusal {
  const named = reason === "version_changed" ? "task.changed" : `task.${reason}`;
  return operatorRefusals.find((code) => code === named) ?? "task.refused";
}
