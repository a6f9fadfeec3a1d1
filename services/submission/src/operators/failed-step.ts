import { failedStepRefusals, findFailedStep } from "@holdfast/domain";
import type { StepRecord, TaskRecord } from "@holdfast/state-store";
import type { Codes } from "../api/codes.ts";
import { Problem } from "../problem.ts";

export const codesOfFailedStep: Codes = { 409: [...failedStepRefusals] };

/**
 * Returns the failed step of that name, or without a name the only one that failed for the task's
 * goal.
 */
export function failedStep({ steps, goal }: TaskRecord, name: string | undefined): StepRecord {
  const found = findFailedStep(steps, { goal, name: name ?? null });
  if ("step" in found) return found.step;
  const { refusal, failed } = found;
  const detail =
    refusal === "task.nothing_failed"
      ? "No step of this task waits for an operator."
      : `Say which step; these failed: ${failed.join(", ")}.`;
  throw new Problem(409, refusal, detail);
}
