import type { StoreInspector, Unusable, Violation } from "@holdfast/state-store";
import { explainInvariant } from "./explanations.ts";
import { findViolations, type Verification, type VerifyOptions } from "./find-violations.ts";

/** What must never be, and what it means. */
export interface ExplainedViolation extends Violation {
  readonly explanation: string;
}

/** What was looked at, and what was found. */
export interface VerifiedStore extends Omit<Verification, "violations"> {
  readonly violations: readonly ExplainedViolation[];
}

/**
 * Looks through the store for what must never be: rules that do not hold, and tasks that cannot be
 * decided about.
 */
export async function verifyStore(
  store: Pick<StoreInspector, "findLowestId" | "findRange" | "findViolations" | "findUnusable">,
  options: VerifyOptions,
): Promise<VerifiedStore> {
  const found = await findViolations(store, options);
  const { tasks } = await store.findUnusable(100);
  const violations = [...found.violations, ...tasks.map(unusableTask)];
  return {
    ...found,
    violations: violations.map((one) => ({
      ...one,
      explanation: explainInvariant(one.invariant),
    })),
  };
}

const unusableTask = ({ taskId, problem }: Unusable["tasks"][number]): Violation => ({
  invariant: "an unfinished task can be decided about",
  taskId,
  witness: problem,
});
