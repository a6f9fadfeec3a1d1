import type { Json } from "./json.ts";
import { type Lookup, resolveTemplate } from "./template.ts";
import type { ApprovalTerms, Template } from "./workflow-definition.ts";

/** What one of the audience may say. */
export type Vote = "approve" | "reject";

/** What one of the audience has said about a step. */
export interface ApprovalDecision {
  /** The id of the principal. */
  readonly id: string;
  /** The name of the principal, for people. */
  readonly name: string;
  readonly decision: Vote;
  readonly reason: string | null;
  /** What was filled in; null: nothing. */
  readonly form: Json | null;
  /** ISO 8601, on the store's clock. */
  readonly at: string;
}

/** What may come of a step that people decide. `expired`: they did not decide in time. */
export const approvalOutcomes = ["approved", "rejected", "expired", "cancelled"] as const;
export type ApprovalOutcome = (typeof approvalOutcomes)[number];

/**
 * The ids of those who may not decide, apart from who submitted the task. Null: a value says no id,
 * so it is not known who they are, and a step that goes on all the same might be decided by one.
 */
export function excludedFrom(
  excludes: readonly Template[],
  valueOf: Lookup,
): readonly string[] | null {
  const ids = excludes.map((template) => resolveTemplate(template, valueOf));
  return ids.every((id): id is string => typeof id === "string" && id !== "") ? ids : null;
}

interface Candidate {
  /** The id of the principal. */
  readonly id: string;
  /** The id of who submitted the task; null: it is not known. */
  readonly submittedBy: string | null;
  /** The values of the task. */
  readonly valueOf: Lookup;
}

/**
 * Whether a principal may not decide a step, though of its audience. Where it is not known who may
 * not, none may.
 */
export function isExcluded(
  { excludesSubmitter, excludes }: Pick<ApprovalTerms, "excludesSubmitter" | "excludes">,
  { id, submittedBy, valueOf }: Candidate,
): boolean {
  if (excludesSubmitter && (submittedBy === null || submittedBy === id)) return true;
  return excludedFrom(excludes, valueOf)?.includes(id) ?? true;
}

/** What people have decided about a step: one who rejects decides alone. Null: nothing yet. */
export function decidedBy(
  { quorum }: Pick<ApprovalTerms, "quorum">,
  decisions: readonly Pick<ApprovalDecision, "id" | "decision">[],
): "approval" | "rejection" | null {
  if (decisions.some(({ decision }) => decision === "reject")) return "rejection";
  return new Set(decisions.map(({ id }) => id)).size >= quorum ? "approval" : null;
}

/** What a step returns that people decided about, apart from what ended it and when. */
export const approvalOutput = (decisions: readonly ApprovalDecision[]) => ({
  decision: "approved" as const,
  by: decisions.map(({ id, name, at, reason }) => ({ id, name, at, reason })),
  form: decisions.at(-1)?.form ?? null,
});

/** Says who rejected a step, and why. */
export function rejectionText(decisions: readonly ApprovalDecision[]): string {
  const rejecting = decisions.find(({ decision }) => decision === "reject");
  return `${rejecting?.name ?? "one of the audience"} rejected it: ${rejecting?.reason ?? ""}`;
}
