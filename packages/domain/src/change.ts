import { PermanentFault } from "./faults.ts";
import { constant, type Step, type StepState } from "./step.ts";
import { nextStepState, type StepAction } from "./step-transitions.ts";
import type { Milliseconds } from "./workflow-definition.ts";

/** One move of one step: the new step, and what its history will say. */
export interface Change {
  readonly step: Step;
  readonly action: StepAction;
  readonly from: StepState;
  /** A code, `area.what`: why. */
  readonly reason: string | null;
  /** The delay that an Agent asked for, where it was longer than the policy of the step allows. */
  readonly cappedDelay?: Milliseconds;
}

interface Details {
  readonly reason?: string;
  readonly cappedDelay?: Milliseconds | undefined;
  /** What the step has in its new state besides what is constant. */
  readonly changes?: Partial<Step> & object;
}

/**
 * Moves a step as the table says. Throws when the table has no such move: callers have looked before,
 * so that would be a bug and must never be saved.
 */
export function change(
  step: Step,
  action: StepAction,
  { reason, changes, cappedDelay }: Details = {},
): Change {
  const processState = nextStepState(action, step.processState);
  if (processState === null) {
    throw new PermanentFault(
      "domain.illegal_transition",
      `A step that is ${step.processState} cannot ${action}`,
    );
  }
  const moved = { ...constant(step), ...changes, processState } as Step;
  const made = { step: moved, action, from: step.processState, reason: reason ?? null };
  return cappedDelay === undefined ? made : { ...made, cappedDelay };
}
