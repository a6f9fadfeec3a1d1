import { toClaim } from "./claim.ts";
import { replaceStep } from "./memory-task.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import { processingSteps, type StoreState } from "./store-state.ts";

const takeLimit = 200;

type Relaying = Pick<
  AtOnce<SimulatedStore>,
  "takeUndispatchedSteps" | "markDispatchedSteps" | "undispatchSteps"
>;

/** Which requests are published, and which a Scheduler has to publish again. */
export function relaying(state: StoreState): Relaying {
  const { tasks, now, isLocked, watchers } = state;
  return {
    takeUndispatchedSteps({ relayAfter }) {
      const late = processingSteps(state)
        .filter(([stored, step]) => {
          const relayAt = stored.relayAts.get(step.plan.name);
          return relayAt !== undefined && relayAt <= now() && !isLocked();
        })
        .slice(0, takeLimit);
      for (const [stored, step] of late) {
        const { startBy, completeBy } = step;
        const isTooLate = startBy <= now() && completeBy > now();
        stored.relayAts.set(step.plan.name, isTooLate ? completeBy : now() + relayAfter);
        replaceStep(stored, { ...step, relayed: true });
        for (const watcher of watchers) watcher.relayed(stored, step);
      }
      return late.map(([stored, step]) => toClaim(state, stored, step));
    },

    markDispatchedSteps(steps) {
      for (const { taskId, name, attempt } of steps) {
        const stored = tasks.get(taskId);
        const step = stored?.task.steps.get(name);
        if (stored === undefined || step?.processState !== "processing") continue;
        if (step.attempt !== attempt || step.dispatched || isLocked()) continue;
        stored.relayAts.delete(name);
        replaceStep(stored, { ...step, dispatched: true });
        for (const watcher of watchers) watcher.marked(stored, step);
      }
    },

    undispatchSteps() {
      const begun = processingSteps(state).filter(([, { startBy }]) => startBy > now());
      for (const [stored, step] of begun) {
        replaceStep(stored, { ...step, dispatched: false });
        stored.relayAts.set(step.plan.name, now());
      }
      return begun.length;
    },
  };
}
