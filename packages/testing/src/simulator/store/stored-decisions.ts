import {
  type ApprovalDecision,
  type ApprovalPlan,
  decidedBy,
  type Instant,
  type Step,
  type StepPlan,
} from "@holdfast/domain";

/** What a task holds of what people have said about its steps, the oldest first. */
interface Deciding {
  readonly decisions: readonly DecisionRow[];
}

/** What one of an audience has said about a step. */
export interface DecisionRow extends ApprovalDecision {
  readonly step: string;
}

const isApproval = (plan: StepPlan): plan is ApprovalPlan => plan.kind === "approval";

/** The plan of a step that people decide; null: they do not. */
export const approvalPlanOf = ({ plan }: Step): ApprovalPlan | null =>
  isApproval(plan) ? plan : null;

/** What people have said about a step, the oldest first. */
export const decisionsAbout = (
  { decisions }: Deciding,
  step: string,
): readonly ApprovalDecision[] =>
  decisions.filter((row) => row.step === step).map(({ step: _its, ...decision }) => decision);

/** What people have decided about a step; null: nothing yet, or it is not for them to decide. */
export function decisionOn(stored: Deciding, step: Step): ReturnType<typeof decidedBy> {
  const plan = approvalPlanOf(step);
  return plan === null ? null : decidedBy(plan, decisionsAbout(stored, plan.name));
}

/** When those are reminded who decide a step, for the first time; null: never. */
export function firstReminderOf(step: Step, now: Instant): Instant | null {
  const remindAfter = approvalPlanOf(step)?.remindAfter ?? null;
  return remindAfter === null ? null : now + remindAfter;
}
