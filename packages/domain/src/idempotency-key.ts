import type { StepPlan } from "./workflow-plan.ts";

/**
 * What the remote service knows the work by: the same for every attempt, resend and redelivery. A
 * new generation begins only when an operator corrects the input of a step that certainly had no
 * effect, because providers refuse a known key with other parameters.
 */
export function idempotencyKey(
  taskId: string,
  { name, undoes }: Pick<StepPlan, "name" | "undoes">,
  keyGeneration: number,
): string {
  const key = undoes === null ? `${taskId}:${name}:do` : `${taskId}:${undoes}:undo`;
  return keyGeneration === 0 ? key : `${key}:${keyGeneration + 1}`;
}
