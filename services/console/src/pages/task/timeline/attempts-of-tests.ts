import type { Attempt, Attempts } from "../../../api/types.ts";

const at = (ms: number): string => new Date(ms).toISOString();

/** An attempt that was claimed at a time and took so long, both in milliseconds. */
export function attemptOf(
  step: string,
  attempt: number,
  {
    from,
    took,
    ...rest
  }: { readonly from: number; readonly took: number | null } & Partial<Attempt>,
): Attempt {
  return {
    step,
    kind: step.endsWith(":undo") ? "undo" : "call",
    undoes: step.endsWith(":undo") ? step.replace(":undo", "") : null,
    attempt,
    agent: "payments",
    lockedBy: "scheduler-1",
    claimedAt: at(from),
    startedAt: null,
    heartbeatAt: null,
    completeBy: at(from + 5_000),
    endedAt: took === null ? null : at(from + took),
    outcome: took === null ? "running" : "processed",
    faultCode: null,
    source: null,
    faultDetail: null,
    progress: null,
    input: null,
    output: null,
    ...rest,
  };
}

export const attemptsOf = (items: readonly Attempt[], rest: Partial<Attempts> = {}): Attempts => ({
  items: [...items],
  waits: [],
  lateReplies: [],
  truncated: false,
  ...rest,
});
