import type { Clock } from "@holdfast/runtime";

/** Milliseconds after an urgent step in which more are looked for. */
const expectedFor = 60_000;
/** Milliseconds after an urgent step in which others are held back. */
const hurriedFor = 2_000;

/** Knows whether urgent steps come at all: where none do, nothing is spent on them. */
export function urgentSteps(clock: Pick<Clock, "now">) {
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    /** An urgent step was claimed, or is in flight. */
    saw: (): void => {
      lastAt = clock.now();
    },
    /** Whether to look for urgent steps by themselves. */
    areExpected: (): boolean => clock.now() - lastAt < expectedFor,
    /** Whether others have to leave room for them. */
    areUnderWay: (): boolean => clock.now() - lastAt < hurriedFor,
  };
}
