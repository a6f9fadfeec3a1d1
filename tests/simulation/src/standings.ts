import type { Task } from "@holdfast/domain";

/** How a task stands, in simulated time. */
export interface Standing {
  /** When it was paused; null: it is not. */
  readonly pausedSince: number | null;
  readonly isHalted: boolean;
  /** When it was last neither, and went on. */
  readonly goesOnSince: number;
}

export type Standings = Map<string, Standing>;

/** Notes how a task stands now. Returns how it stood before; undefined: it is new. */
export function noteStanding(
  standings: Standings,
  { taskId, paused, processState }: Pick<Task, "taskId" | "paused" | "processState">,
  now: number,
): Standing | undefined {
  const before = standings.get(taskId);
  const { pausedSince = null, goesOnSince = 0 } = before ?? {};
  const isHalted = processState === "halted";
  const isHeldUp = paused || isHalted;
  standings.set(taskId, {
    pausedSince: paused ? (pausedSince ?? now) : null,
    isHalted,
    goesOnSince: isHeldUp || isHeldUpIn(before) ? now : goesOnSince,
  });
  return before;
}

/** Whether a task was paused or halted. */
export const isHeldUpIn = (standing: Standing | undefined): boolean =>
  standing !== undefined && (standing.isHalted || standing.pausedSince !== null);
