import { stepKinds } from "@holdfast/domain";
import type { StepRecord, TaskRecord } from "@holdfast/state-store";
import { codeAt, type Noun } from "../noun.ts";
import { Problem } from "../problem.ts";

/** Returns the failed step of that name, or without a name the only one that failed for the task's goal. */
export function failedStep(
  { steps, goal }: TaskRecord,
  { noun, name }: { readonly noun: Noun; readonly name: string | undefined },
): StepRecord {
  const failed = steps.filter(
    (one) => one.processState === "error" && stepKinds[one.kind].goal === goal,
  );
  const meant = failed.filter((one) => name === undefined || one.name === name);
  if (meant.length === 1 && meant[0] !== undefined) return meant[0];
  const names = failed.map((one) => one.name).join(", ");
  throw names === ""
    ? new Problem(
        409,
        codeAt(noun, "task.nothing_failed"),
        `No step of this ${noun.singular} waits for an operator.`,
      )
    : new Problem(
        409,
        codeAt(noun, "task.step_not_failed"),
        `Say which step; these failed: ${names}.`,
      );
}
