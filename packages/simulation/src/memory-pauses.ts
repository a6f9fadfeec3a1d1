import { type Instant, stepsOf } from "@holdfast/domain";
import type { Pause, PauseWish } from "@holdfast/state-store";
import type { StoredTask } from "./memory-task.ts";

type StoredPause = Pick<Pause, "kind" | "name"> & {
  readonly pausedAt: Instant;
  resumedAt: Instant | null;
};

/** Pauses of Agents, as the state store keeps them. Those of workflows are not simulated. */
export function memoryPauses(now: () => Instant) {
  const pauses: StoredPause[] = [];
  const inForce = (name: string): StoredPause | undefined =>
    pauses.find((pause) => pause.name === name && pause.resumedAt === null);
  return {
    pause({ kind, name }: PauseWish): boolean {
      if (inForce(name) !== undefined) return false;
      pauses.push({ kind, name, pausedAt: now(), resumedAt: null });
      return true;
    },
    resume({ name }: PauseWish): boolean {
      const pause = inForce(name);
      if (pause !== undefined) pause.resumedAt = now();
      return pause !== undefined;
    },
    isPaused: (agent: string): boolean => inForce(agent) !== undefined,
    /** For how long an Agent of the task has been paused since its submission. */
    heldFor({ task, createdAt }: StoredTask): number {
      const agents = new Set(stepsOf(task).map(({ plan }) => plan.agent));
      const spans = pauses
        .filter(({ name }) => agents.has(name))
        .map(({ pausedAt, resumedAt }) => ({
          from: Math.max(pausedAt, createdAt),
          to: resumedAt ?? now(),
        }))
        .toSorted((one, other) => one.from - other.from);
      let held = 0;
      let until = Number.NEGATIVE_INFINITY;
      for (const { from, to } of spans) {
        held += Math.max(0, to - Math.max(from, until));
        until = Math.max(until, to);
      }
      return held;
    },
  };
}
