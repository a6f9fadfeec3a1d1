import type { StepState } from "../step.ts";
import { stepKinds } from "../step-kinds.ts";
import type { Goal } from "../task.ts";
import type { StepKind } from "../workflow-plan.ts";

/** What a request about a failed step looks at. */
interface StepOfTask {
  readonly name: string;
  readonly kind: StepKind;
  readonly processState: StepState;
}

interface Asked {
  readonly goal: Goal;
  /** The name of the step; null: the only one that failed. */
  readonly name: string | null;
}

/** Why it is not known which failed step is meant: none failed, or another one, or several. */
export const failedStepRefusals = ["task.nothing_failed", "task.step_not_failed"] as const;

/** The step that is meant, or why none is, with the names of those that failed. */
export type FailedStepFound<S> =
  | { readonly step: S }
  | {
      readonly refusal: (typeof failedStepRefusals)[number];
      readonly failed: readonly string[];
    };

/**
 * Finds the failed step of that name, or without a name the only one that failed for the task's
 * goal.
 */
export function findFailedStep<S extends StepOfTask>(
  steps: readonly S[],
  { goal, name }: Asked,
): FailedStepFound<S> {
  const failed = steps.filter(
    (one) => one.processState === "error" && stepKinds[one.kind].goal === goal,
  );
  const meant = failed.filter((one) => name === null || one.name === name);
  if (meant.length === 1 && meant[0] !== undefined) return { step: meant[0] };
  const [nothingFailed, notFailed] = failedStepRefusals;
  const refusal = failed.length === 0 ? nothingFailed : notFailed;
  return { refusal, failed: failed.map((one) => one.name) };
}
