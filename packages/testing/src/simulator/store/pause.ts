import { stepsOf } from "@holdfast/domain";
import { replaceStep } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { parkedUntil, type StoreState } from "./store-state.ts";

type Pausing = Pick<AtOnce<SimulatedStore>, "applyPauses" | "pause" | "resume">;

/** Pauses of Agents and workflows, and the steps that they park. */
export const pausing = (state: StoreState): Pausing => ({
  applyPauses: () => parkPausedSteps(state) + releaseResumedSteps(state),
  pause: (request) => state.pauses.pause(request),
  resume: (request) => state.pauses.resume(request),
});

/** The pending steps of some workflows, with their tasks. */
const pendingOf = ({ tasks }: StoreState, isOfThese: (workflow: string) => boolean) =>
  [...tasks.values()]
    .filter(({ task }) => isOfThese(task.workflow.name))
    .flatMap((stored) =>
      stepsOf(stored.task).flatMap((step) =>
        step.processState === "pending" ? [{ stored, step, name: step.plan.name }] : [],
      ),
    );

function parkPausedSteps(state: StoreState): number {
  const { pauses, isLocked } = state;
  const due = pendingOf(state, (name) => pauses.isPaused({ kind: "workflow", name })).filter(
    ({ stored, name }) => stored.ranks.has(name) && !isLocked(),
  );
  for (const { stored, step, name } of due) {
    stored.ranks.delete(name);
    replaceStep(stored, { ...step, notBefore: parkedUntil });
  }
  return due.length;
}

function releaseResumedSteps(state: StoreState): number {
  const { pauses, now } = state;
  const resumed = pauses.resumedWorkflows();
  const released = pendingOf(state, (name) => resumed.has(name)).filter(
    ({ stored, step, name }) => !stored.ranks.has(name) && step.notBefore === parkedUntil,
  );
  for (const { stored, step, name } of released) {
    const due = { ...step, notBefore: now() };
    replaceStep(stored, due);
    // What has a fairness key is ranked when the next stage finds it.
    if (stored.fairness === null) stored.ranks.set(name, now());
  }
  if (released.length === 0) pauses.release(resumed);
  return released.length;
}
