import type { Step } from "@holdfast/domain";
import type { StoredTask } from "@holdfast/testing/simulator";
import type { OperatorActs } from "./operator-acts.ts";
import { failedOf } from "./unleash-operators.ts";
import type { World } from "./world.ts";

/** Milliseconds between two looks. */
const rest = 500;
/** Milliseconds. A step that rests for longer is what an operator would not wait for. */
const longRest = 5_000;

/**
 * Looks after what is paused, what rests for long and what halted, once everything is healed: has a failed step tried
 * again, once, as it was or with an input put in by hand, and the task undone if that did not help.
 */
export function callOperator(world: World, acts: OperatorActs): void {
  const resubmitted = new Set<string>();
  const retry = (stored: StoredTask, step: Step): void => {
    resubmitted.add(`${stored.task.taskId} ${step.plan.name}`);
    acts.resubmit(stored, step, world.random.chance(0.5));
  };
  const tend = (stored: StoredTask): void => {
    const { taskId, goal, processState, paused } = stored.task;
    // Not at the first look: limits must stand still for longer than they are.
    if (paused) return world.random.chance(0.3) ? acts.resumeTask(stored) : undefined;
    const resting = acts.delayed(stored, longRest);
    if (resting !== undefined) acts.retry(stored, resting);
    if (processState !== "halted") return;
    const failed = failedOf(stored);
    const again = failed.filter(({ plan }) => resubmitted.has(`${taskId} ${plan.name}`));
    if (goal === "do" && again.length > 0) return acts.undo(stored);
    for (const step of failed) retry(stored, step);
  };

  const look = (): void => {
    for (const stored of acts.unfinished()) tend(stored);
    if (world.random.chance(0.3)) acts.resumeTargets();
    world.timeline.aside(rest, look);
  };
  world.onHeal(look);
}
