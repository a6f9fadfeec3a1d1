import type { PauseTarget } from "@holdfast/state-store";
import type { AtOnce, SimulatedStore } from "@holdfast/testing/simulator";
import type { OperatorJudge } from "./judge-operators.ts";
import type { World } from "./world.ts";

interface Options {
  readonly store: AtOnce<SimulatedStore>;
  readonly judge: OperatorJudge;
}

const keyOf = ({ kind, name }: PauseTarget): string => `${kind} ${name}`;

/** Pauses Agents and workflows, and resumes them. */
export function pauseTargets(world: World, { store, judge }: Options) {
  const paused = new Map<string, PauseTarget>();

  const pauseTarget = (target: PauseTarget): void => {
    world.tell("operator", () => `pauses ${keyOf(target)}`);
    if (!store.pause({ ...target, actor: "operator", reason: "stock-taking" })) return;
    paused.set(keyOf(target), target);
    judge.targetPaused(target);
  };
  const resumeTarget = (target: PauseTarget): void => {
    world.tell("operator", () => `resumes ${keyOf(target)}`);
    store.resume({ ...target, actor: "operator", reason: "all counted" });
    paused.delete(keyOf(target));
    judge.targetResumed(target);
  };

  return {
    resumeTargets: () => [...paused.values()].forEach(resumeTarget),
    toggle: (target: PauseTarget) =>
      paused.has(keyOf(target)) ? resumeTarget(target) : pauseTarget(target),
  };
}
