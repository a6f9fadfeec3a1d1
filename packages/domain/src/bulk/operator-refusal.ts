/** Why a task is not moved as an operator asks. */
const operatorRefusals = [
  "task.changed",
  "task.not_usable",
  "task.finished",
  "task.wrong_goal",
  "task.not_in_error",
  "task.not_pending",
  "task.not_delayed",
  "task.is_paused",
  "task.already_paused",
  "task.not_paused",
  "task.refused",
] as const;
export type OperatorRefusal = (typeof operatorRefusals)[number];

/** Rejections that operators know by a shorter name. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["version_changed", "changed"],
  ["task_finished", "finished"],
  ["task_paused", "is_paused"],
  ["unusable_task", "not_usable"],
]);

/** The code under which a rejection of the domain is answered; `task.refused` for one without a code of its own. */
export function operatorRefusalOf(reason: string): OperatorRefusal {
  const named = `task.${renamed.get(reason) ?? reason}`;
  return operatorRefusals.find((code) => code === named) ?? "task.refused";
}
