import { agentOf, completeByOf, noteSign } from "@holdfast/domain";
import { replaceStep } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";

type Signing = Pick<AtOnce<SimulatedStore>, "recordAttemptSigns">;

/** Moves the deadlines of attempts whose Agents say that they are at work on them. */
export const signing = ({ tasks, now, watchers }: StoreState): Signing => ({
  recordAttemptSigns(signs) {
    for (const { taskId, step: name, attempt, token, agent, progress, ...sign } of signs) {
      const stored = tasks.get(taskId);
      const step = stored?.task.steps.get(name);
      if (stored === undefined || step?.processState !== "processing") continue;
      if (step.attempt !== attempt || step.token !== token || agentOf(step) !== agent) continue;
      const known = stored.signs.get(name) ?? null;
      const times = noteSign(step, known, { ...sign, now: now() });
      stored.signs.set(name, { ...times, progress: progress ?? known?.progress ?? null });
      stored.resendAts.delete(name);
      const completeBy = completeByOf(step, times, now());
      const signed = { ...step, confirmed: true, completeBy };
      replaceStep(stored, signed);
      for (const watcher of watchers) watcher.signed?.(stored, signed);
    }
  },
});
