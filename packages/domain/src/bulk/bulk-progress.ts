/** The states of a bulk operation. */
export const bulkStates = ["canary", "running", "verifying", "done", "stopped", "failed"] as const;
export type BulkState = (typeof bulkStates)[number];

/** What became of an item. `applied`: the action was, and its effect is awaited. */
export const bulkOutcomes = ["waiting", "applied", "refused", "succeeded", "failedAgain"] as const;
export type BulkOutcome = (typeof bulkOutcomes)[number];

/** How many items have each outcome. */
export type BulkCounts = Readonly<Record<BulkOutcome, number>>;

export interface BulkProgress extends BulkCounts {
  readonly state: BulkState;
  /**
   * Items that are applied first, and must succeed before any other is applied; 0: there is no
   * canary.
   */
  readonly canary: number;
}

const ended: ReadonlySet<BulkState> = new Set(["done", "stopped", "failed"]);

export const hasBulkEnded = ({ state }: Pick<BulkProgress, "state">): boolean => ended.has(state);

/** The state in which an operation begins. */
export const firstBulkState = (progress: Omit<BulkProgress, "state">): BulkState =>
  stateAfter({ ...progress, state: progress.canary > 0 ? "canary" : "running" });

/** How many further items may be applied, whatever the rate. */
export function mayApply(progress: BulkProgress): number {
  const { state, canary, waiting, applied, succeeded, failedAgain } = progress;
  if (state === "running") return waiting;
  if (state !== "canary") return 0;
  return Math.max(0, Math.min(waiting, canary - applied - succeeded - failedAgain));
}

/** The progress after items went from one outcome to others. */
export function advanceBulk(
  before: BulkProgress,
  from: "waiting" | "applied",
  to: readonly BulkOutcome[],
): BulkProgress {
  const counts: Record<BulkOutcome, number> = {
    waiting: before.waiting,
    applied: before.applied,
    refused: before.refused,
    succeeded: before.succeeded,
    failedAgain: before.failedAgain,
  };
  counts[from] -= to.length;
  for (const outcome of to) counts[outcome] += 1;
  const after = { ...before, ...counts };
  return { ...after, state: stateAfter(after) };
}

function stateAfter(progress: BulkProgress): BulkState {
  const { state, canary, waiting, applied, succeeded, failedAgain } = progress;
  if (hasBulkEnded(progress)) return state;
  if (state === "canary") {
    if (failedAgain > 0) return "stopped";
    const isVerified = succeeded >= canary || (waiting === 0 && applied === 0);
    if (!isVerified) return "canary";
  }
  if (waiting > 0) return "running";
  if (applied > 0) return "verifying";
  return failedAgain > 0 ? "failed" : "done";
}
