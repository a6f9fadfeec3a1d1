import type { StoreInspector, Violation } from "@holdfast/state-store";

export interface Verification {
  /** How many tasks were looked at. */
  readonly tasks: number;
  readonly violations: readonly Violation[];
  /** Looking ended at the limit: there may be more. */
  readonly more: boolean;
}

export interface VerifyOptions {
  /** Milliseconds back to which tasks are looked at, by their submission; null: all are. */
  readonly since: number | null;
  /** How many tasks one statement looks at. */
  readonly size?: number;
  /** How many violations are enough. */
  readonly limit?: number;
  /** Asked before each look: true ends it, and there may be more. */
  readonly isOver?: () => boolean;
}

const first = "00000000-0000-0000-0000-000000000000";
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Looks through the store, so many tasks at a time. Each look is one short statement and sees one
 * moment, in which every task must be right, however quickly it moves.
 */
export async function findViolations(
  store: Pick<StoreInspector, "findLowestId" | "findRange" | "findViolations">,
  { since, size = 500, limit = 100, isOver = () => false }: VerifyOptions,
): Promise<Verification> {
  const violations: Violation[] = [];
  let after = since === null ? first : await store.findLowestId(since);
  let tasks = 0;
  let isCut = false;
  while (after !== last && violations.length <= limit) {
    isCut = isOver();
    if (isCut) break;
    const range = await store.findRange({ after, size });
    // The last look goes to the end of all ids: a step may be there whose task is not.
    const upto = range.tasks < size || range.upto === null ? last : range.upto;
    const batch = limit + 1 - violations.length;
    violations.push(...(await store.findViolations({ after, upto, batch })));
    tasks += range.tasks;
    after = upto;
  }
  return {
    tasks,
    violations: violations.slice(0, limit),
    more: isCut || violations.length > limit,
  };
}
