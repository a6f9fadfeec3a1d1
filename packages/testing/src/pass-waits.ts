import { isFinished, stepsOf } from "@holdfast/domain";
import type { StoredTask } from "./simulator/store/memory-task.ts";
import type { Timeline } from "./simulator/timeline.ts";
import { epoch } from "./simulator/world.ts";

/** Waits that are longer are passed over: loops that look every second would look for a year. */
const shortest = 60_000;
/**
 * What is left of a wait that is passed over, in milliseconds: enough for what is still on its way.
 */
const left = 30_000;

/**
 * Passes over the time in which a task only waits: none of its steps is due or at an Agent. It
 * stops shortly before the first of its waits ends, before its limit passes, and before `until`, in
 * milliseconds of the timeline: when a signal comes, or there is nothing more to wait for.
 */
export function passWaits(
  timeline: Timeline,
  { task, completeBy, waits }: StoredTask,
  until: number,
): void {
  if (isFinished(task) || task.paused || waits.size === 0) return;
  for (const { processState } of stepsOf(task)) {
    if (processState === "pending" || processState === "processing") return;
  }
  const ended = Math.min(...waits.values(), completeBy ?? Number.POSITIVE_INFINITY) - epoch;
  const next = Math.min(ended, until) - timeline.now;
  if (next > shortest) timeline.skip(next - left);
}
