import { type ApprovalDecision, decidedBy, type Step } from "@holdfast/domain";

/** What a task holds of what people have said about its steps, the oldest first. */
interface Deciding {
  readonly decisions: readonly DecisionRow[];
}

/** What one of an audience has said about a step. */
export interface DecisionRow extends ApprovalDecision {
  readonly step: string;
}

/** What people have said about a step, the oldest first. */
export const decisionsAbout = (
  { decisions }: Deciding,
  step: string,
): readonly ApprovalDecision[] =>
  decisions.filter((row) => row.step === step).map(({ step: _its, ...decision }) => decision);

/** What people have decided about a step; null: nothing yet, or it is not for them to decide. */
export function decisionOn(stored: Deciding, step: Step): ReturnType<typeof decidedBy> {
  const { plan } = step;
  return "audience" in plan ? decidedBy(plan, decisionsAbout(stored, plan.name)) : null;
}
